import { type Command, InvalidArgumentError } from 'commander';
import { pepperOf } from '../credits/account/pepper.ts';
import { type MadeVoucher, makeVouchers } from '../credits/account/voucher.ts';
import { UsageError } from '../errors.ts';
import { listVouchers, revokeVoucher, type VoucherDoc } from '../store/account/vouchers.ts';
import { print, say, withContext } from './session.ts';

type CreateOptions = { credits: number; count: number; expires?: string; json?: boolean };

/** `tidemark vouchers create|list|revoke`. */
export function addVouchers(program: Command): void {
  const vouchers = program.command('vouchers').description('Make, list and revoke vouchers for credits.');
  vouchers
    .command('create')
    .description('Make single-use codes and print them alone on stdout; they are shown this once.')
    .requiredOption('--credits <n>', 'credits of each', wholeNumber)
    .option('--count <m>', 'how many codes', wholeNumber, 1)
    .option('--expires <date>', 'last day (YYYY-MM-DD, UTC) on which they can be redeemed', endOfDay)
    .option('--json', 'as JSON, with the ids')
    .action(create);
  vouchers
    .command('list')
    .description('List the vouchers, without their codes.')
    .option('--json', 'as JSON')
    .action((options: { json?: boolean }) =>
      withContext(async ({ db }) => {
        const listed = (await listVouchers(db)).map(shown);
        if (options.json) return print(JSON.stringify(listed, null, 2));
        for (const voucher of listed) print(Object.values(voucher).map(String).join('\t'));
        if (listed.length === 0) say('There are no vouchers.');
      }),
    );
  vouchers
    .command('revoke <id>')
    .description('Make a voucher worthless that nobody has redeemed.')
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
  return withContext(async ({ config, db, creditsRedis }) => {
    const store = { db, redis: creditsRedis, tag: config.creditsTag, pepper: await pepperOf(config, db) };
    const made = await makeVouchers(store, { credits, count, expiresAt: expires ?? null });
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

function wholeNumber(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** The day itself still counts: the first moment after it. */
function endOfDay(text: string): string {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Date takes the 30th of February for a day in March.
  if (Number.isNaN(start) || !new Date(start).toISOString().startsWith(text)) {
    throw new InvalidArgumentError('It must be a day such as 2027-12-31.');
  }
  return new Date(start + 86_400_000).toISOString();
}
