import type { Command } from 'commander';
import { createKey, listKeys, type NewKey, revokeKey } from '../credits/account/key-life.ts';
import { keyStoreOf } from '../credits/account/key-store.ts';
import { creditStoreOf } from '../credits/credit-store.ts';
import { grantCredits, MAX_GRANT } from '../credits/grant.ts';
import { wholeNumber } from './arguments.ts';
import { print, printRows, say, withContext } from './session.ts';

/** `tidemark keys create|list|revoke`. */
export function addKeys(program: Command): void {
  const keys = program.command('keys').description('Create, list and revoke API keys.');
  keys
    .command('create')
    .description('Create a key and print only the key on stdout. It is shown once.')
    .requiredOption('--org <name>', 'the organisation, by id or name; a new name creates one')
    .option('--credits <n>', 'credits to grant; required for a live key', wholeNumber(MAX_GRANT))
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

type KeyOptions = { org: string; credits?: number; test?: boolean; label: string };

function wantedKey({ org, credits, test, label }: KeyOptions, command: Command): NewKey {
  if (credits === undefined && test !== true) {
    command.error("error: option '--credits <n>' is required for a live key");
  }
  return { orgName: org, credits: credits ?? 0, label, mode: test === true ? 'test' : 'live' };
}

/** `tidemark credits grant`. */
export function addCredits(program: Command): void {
  const credits = program.command('credits').description('Grant credits to an organisation.');
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
}

/** The name in quotes, because its owner chose it. */
function named({ orgId, orgName }: { readonly orgId: string; readonly orgName: string }): string {
  return `${JSON.stringify(orgName)} (${orgId})`;
}
