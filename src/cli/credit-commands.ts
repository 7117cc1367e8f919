import { type Command, InvalidArgumentError } from 'commander';
import { createKey, listKeys, type NewKey, revokeKey } from '../credits/account/key-life.ts';
import { pepperOf } from '../credits/account/pepper.ts';
import { grantCredits } from '../credits/grant.ts';
import { print, type Session, say, withContext } from './session.ts';

/** `tidemark keys create|list|revoke`. */
export function addKeys(program: Command): void {
  const keys = program.command('keys').description('Make, list and revoke API keys.');
  keys
    .command('create')
    .description('Make a key and print it alone on stdout; it is shown this once.')
    .requiredOption(
      '--org <name>',
      'the organisation, by id or name; it is made when there is none of that name',
    )
    .option('--credits <n>', 'credits to grant to the organisation; required but for a test key', wholeNumber)
    .option('--test', 'a test key: it calls the sandbox and spends nothing')
    .option('--label <text>', 'what the key is for', '')
    .action((options: KeyOptions, command: Command) => {
      const wanted = wantedKey(options, command);
      return withContext(async (session) => {
        const pepper = await pepperOf(session.config, session.db);
        const made = await createKey({ ...storeOf(session), pepper }, wanted);
        say(
          made.isNewOrg ? `Made the organisation ${named(made)}.` : `Joined the organisation ${named(made)}.`,
        );
        print(made.key);
      });
    });
  keys
    .command('list')
    .description('List the keys, without their secrets.')
    .option('--org <name>', 'only those of one organisation, by id or name')
    .option('--json', 'as JSON')
    .action((options: { org?: string; json?: boolean }) =>
      withContext(async (session) => {
        const listed = await listKeys(storeOf(session), options.org ?? null);
        if (options.json) return print(JSON.stringify(listed, null, 2));
        for (const key of listed) print(Object.values(key).map(String).join('\t'));
        if (listed.length === 0) say('There are no keys.');
      }),
    );
  keys
    .command('revoke <key-id>')
    .description('Revoke a key by its 8-character id; it stops working at once.')
    .action((keyId: string) =>
      withContext(async (session) => {
        await revokeKey(storeOf(session), keyId);
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
    .requiredOption('--credits <n>', 'how many', wholeNumber)
    .option('--reason <text>', 'kept with the grant', 'operator')
    .action((options: { org: string; credits: number; reason: string }) =>
      withContext(async (session) => {
        const grant = { org: options.org, amount: options.credits, reason: options.reason };
        const granted = await grantCredits(storeOf(session), grant);
        say(`Granted to the organisation ${named(granted)}.`);
        print(String(granted.balance));
      }),
    );
}

/** Quoted: a name is whatever somebody chose. */
function named({ orgId, orgName }: { readonly orgId: string; readonly orgName: string }): string {
  return `${JSON.stringify(orgName)} (${orgId})`;
}

function storeOf(session: Session) {
  return { db: session.db, redis: session.creditsRedis, tag: session.config.creditsTag };
}

function wholeNumber(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
