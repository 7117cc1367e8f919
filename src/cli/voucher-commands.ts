import type { Command } from 'commander';
import { keyStoreOf } from '../credits/account/key-store.ts';
import { type MadeVoucher, makeVouchers } from '../credits/account/voucher.ts';
import { MAX_GRANT } from '../credits/grant.ts';
import type { IsoDate } from '../domain/ids.ts';
import { UsageError } from '../errors.ts';
import { listVouchers, revokeVoucher, type VoucherDoc } from '../store/account/vouchers.ts';
import { day, wholeNumber } from './arguments.ts';
import { print, printRows, say, withContext } from './session.ts';

const DAY_MS = 86_400_000;

type CreateOptions = { credits: number; count: number; expires?: IsoDate; json?: boolean };

/** `tidemark vouchers create|list|revoke`. */
export function addVouchers(program: Command): void {
  const vouchers = program.command('vouchers').description('Create, list and revoke vouchers for credits.');
  vouchers
    .command('create')
    .description('Create single-use codes and print only the codes on stdout. They are shown once.')
    .requiredOption('--credits <n>', 'credits of each code', wholeNumber(MAX_GRANT))
    .option('--count <m>', 'how many codes', wholeNumber(MAX_GRANT), 1)
    .option('--expires <date>', 'last day (YYYY-MM-DD, UTC) on which they can be redeemed', day)
    .option('--json', 'print JSON, with the ids')
    .action(create);
  vouchers
    .command('list')
    .description('List the vouchers, without their codes.')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withContext(async ({ db }) => {
        printRows((await listVouchers(db)).map(shown), options.json, 'There are no vouchers.');
      }),
    );
  vouchers
    .command('revoke <id>')
    .description('Revoke a voucher that is not redeemed.')
    .action((id: string) =>
      withContext(async ({ db }) => {
        if (!(await revokeVoucher(db, id))) {
          throw new UsageError(`There is no open voucher ${JSON.stringify(id)}.`);
        }
        say(`${id} is revoked.`);
      }),
    );
}

function create({ credits, count, expires, json }: CreateOptions): Promise<void> {
  return withContext(async (context) => {
    const expiresAt = expires === undefined ? null : endOf(expires);
    const made = await makeVouchers(await keyStoreOf(context), { credits, count, expiresAt });
    if (json) return print(JSON.stringify(made.map(withCode), null, 2));
    for (const { code } of made) print(code);
  });
}

function withCode({ code, doc }: MadeVoucher) {
  return { code, ...shown(doc) };
}

function shown({ _id, digest: _, ...rest }: VoucherDoc) {
  return { id: _id, ...rest };
}

/** The first moment after the day. */
function endOf(date: IsoDate): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + DAY_MS).toISOString();
}
