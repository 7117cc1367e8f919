import type { Command } from 'commander';
import { createKey, listKeys, type NewKey, revokeKey } from '../credits/account/key-life.ts';
import { keyStoreOf, recallRevocations } from '../credits/account/key-record.ts';
import { type MadeVoucher, makeVouchers } from '../credits/account/voucher.ts';
import { grantCredits, MAX_GRANT, requireOrganization } from '../credits/grant.ts';
import { checkLedger, type LedgerCheck } from '../credits/ledger/check.ts';
import { fenceCredits } from '../credits/ledger/fence.ts';
import { creditStoreOf } from '../credits/store.ts';
import { addDays } from '../domain/calendar.ts';
import type { IsoDate } from '../domain/ids.ts';
import { UsageError } from '../errors.ts';
import { usageOf } from '../store/account/usage.ts';
import { listVouchers, revokeVoucher, type VoucherDoc } from '../store/account/vouchers.ts';
import { day, wholeNumber } from './arguments.ts';
import { print, printNamed, printRows, say, withContext } from './session.ts';

/** `tidemark keys create|list|revoke`. */
export function addKeys(program: Command): void {
  const keys = program.command('keys');
  keys
    .command('create')
    .description('Create a key and print only the key on stdout. It is shown once.')
    .requiredOption('--org <name>', 'the organisation, by id or name; a new name creates one')
    .option('--credits <n>', 'credits to grant; required for a live key', wholeNumber(MAX_GRANT))
    .option('--join', 'join an organisation of that name that a visitor made at /connect')
    .option('--test', 'a test key: it calls the sandbox and spends nothing')
    .option('--label <text>', 'what the key is for', '')
    .action((options: KeyOptions, command: Command) => {
      const wanted = wantedKey(options, command);
      return withContext(async (context) => {
        const made = await createKey(await keyStoreOf(context), wanted);
        say(`${made.isNewOrg ? 'Made' : 'Joined'} the organisation ${named(made)}.`);
        print(made.key);
      });
    });
  keys
    .command('list')
    .description('List the keys, without their secrets.')
    .option('--org <name>', 'only keys of this organisation, by id or name')
    .option('--json', 'print JSON')
    .action((options: { org?: string; json?: boolean }) =>
      withContext(async (context) => {
        const listed = await listKeys(context, options.org ?? null);
        printRows(listed, options.json, 'There are no keys.');
      }),
    );
  keys
    .command('revoke <key-id>')
    .description('Revoke a key by its 8-character id. It stops working at once.')
    .action((keyId: string) =>
      withContext(async (context) => {
        await revokeKey(creditStoreOf(context), keyId);
        say(`${keyId} is revoked.`);
      }),
    );
}

type KeyOptions = { org: string; credits?: number; test?: boolean; label: string; join?: boolean };

function wantedKey({ org, credits, test, label, join }: KeyOptions, command: Command): NewKey {
  if (credits === undefined && test !== true) {
    command.error("error: option '--credits <n>' is required for a live key");
  }
  return {
    orgName: org,
    credits: credits ?? 0,
    label,
    mode: test === true ? 'test' : 'live',
    join: join === true,
  };
}

/** `tidemark credits grant|usage|check|fence`. */
export function addCredits(program: Command): void {
  const credits = program.command('credits');
  credits
    .command('grant')
    .description('Grant credits and print the new balance.')
    .requiredOption('--org <name>', 'the organisation, by id or name')
    .requiredOption('--credits <n>', 'how many', wholeNumber(MAX_GRANT))
    .option('--reason <text>', 'stored with the grant', 'operator')
    .action(({ org, credits: amount, reason }: { org: string; credits: number; reason: string }) =>
      withContext(async (context) => {
        const granted = await grantCredits(creditStoreOf(context), { org, amount, reason });
        say(`Granted to the organisation ${named(granted)}.`);
        print(String(granted.balance));
      }),
    );
  addUsage(credits);
  addCheck(credits);
  addFence(credits);
}

function addUsage(credits: Command): void {
  credits
    .command('usage')
    .description('Print what an organisation used: day, key, tool, calls, credits, voids.')
    .requiredOption('--org <name>', 'the organisation, by id or name')
    .option('--from <date>', 'first day (YYYY-MM-DD, UTC)', day, '2000-01-01' as IsoDate)
    .option('--to <date>', 'last day', day, '2100-01-01' as IsoDate)
    .option('--json', 'print JSON')
    .action((options: { org: string; from: IsoDate; to: IsoDate; json?: boolean }) =>
      withContext(async ({ db }) => {
        const { _id } = await requireOrganization({ db }, options.org);
        printRows(await usageOf(db, _id, options), options.json, 'Nothing was used.');
      }),
    );
}

function addCheck(credits: Command): void {
  credits
    .command('check')
    .description('Recompute every balance from the whole ledger. Exit 1 when something differs.')
    .option('--json', 'print one JSON object')
    .action(({ json }: { json?: boolean }) =>
      withContext(async (context) => {
        const check = await checkLedger(creditStoreOf(context), { whole: true });
        if (json) print(JSON.stringify(check));
        else printCheck(check);
        if (check.problems.length > 0) process.exitCode = 1;
      }),
    );
}

function printCheck({ problems, ...counts }: LedgerCheck): void {
  printNamed(counts);
  for (const problem of problems) print(`PROBLEM ${problem}`);
}

function addFence(credits: Command): void {
  credits
    .command('fence')
    .description(
      'After MongoDB or the credits Redis was restored, or where charging is stopped: decide each balance.',
    )
    .addHelpText('after', '\nProcesses may run on. Safe to repeat.')
    .action(() =>
      withContext(async (context) => {
        const store = creditStoreOf(context);
        const { rebuilt, removed } = await fenceCredits(store);
        const ended = await recallRevocations(store);
        if (ended > 0) say(`${ended} keys that Redis knows as revoked or replaced are so in MongoDB again.`);
        for (const { streamId, text } of removed) print(`REMOVED ${streamId}: ${text}`);
        for (const orgId of rebuilt) print(`REBUILT ${orgId}`);
        say('Every other balance is compared with the ledger before its next charge.');
      }),
    );
}

/** The name in quotes, because its owner chose it. */
function named({ orgId, orgName }: { readonly orgId: string; readonly orgName: string }): string {
  return `${JSON.stringify(orgName)} (${orgId})`;
}

type CreateOptions = { credits: number; count: number; expires?: IsoDate; json?: boolean };

/** `tidemark vouchers create|list|revoke`. */
export function addVouchers(program: Command): void {
  const vouchers = program.command('vouchers');
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
  return `${addDays(date, 1)}T00:00:00.000Z`;
}
