import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { MisuseError, UsageError } from '../errors.ts';
import {
  countSetAside,
  findSetAside,
  listSetAside,
  type SetAsideDoc,
  settleSetAside,
} from '../store/account/set-aside.ts';
import { wholeNumber } from './arguments.ts';
import { printNamed, printRows, say, withContext } from './session.ts';

const LISTED = 1_000;

type ListOptions = { readonly settled?: boolean; readonly json?: boolean; readonly limit: number };
type SettleOptions = { readonly all?: boolean; readonly by: string; readonly note: string };

/** `tidemark credits set-aside list|show|settle`: text of the credits Redis that cannot be read. */
export function addSetAside(credits: Command): void {
  const aside = credits
    .command('set-aside')
    .description('Entries of the log and open calls that cannot be read, kept for you to look at.');
  aside
    .command('list')
    .description('List those that wait for you, each with its id.')
    .option('--limit <count>', 'list so many at most', wholeNumber(1_000_000), LISTED)
    .option('--settled', 'list those that are settled, with who, when and why')
    .option('--json', 'print JSON')
    .action(list);
  aside
    .command('show <id>')
    .description('Print one of them whole. Its id has bars: put it in quotes.')
    .action((id: string) =>
      withContext(async ({ db }) => {
        const doc = await findSetAside(db, id);
        if (doc === null) throw new UsageError(`Nothing is set aside as ${JSON.stringify(id)}.`);
        printNamed(lineOf(doc));
      }),
    );
  aside
    .command('settle [id]')
    .description('Mark one of them, or all, as settled. The text is kept, no balance is changed.')
    .option('--all', 'all that wait')
    .option('--by <name>', 'who decided it', userInfo().username)
    .requiredOption('--note <text>', 'what it was, and what was done about it')
    .action(settle);
}

function list({ settled = false, json, limit }: ListOptions) {
  return withContext(async ({ db }) => {
    const docs = await listSetAside(db, { settled, limit });
    printRows(
      docs.map(json ? rowOf : lineOf),
      json,
      settled ? 'Nothing is settled.' : 'Nothing is set aside.',
    );
    const more = settled ? 0 : (await countSetAside(db)) - docs.length;
    if (more > 0) say(`${more} more: list them with --limit ${docs.length + more}.`);
  });
}

function rowOf({ _id, at, text, settled }: SetAsideDoc) {
  const mark = settled && { settled_by: settled.by, settled_at: settled.at, note: settled.note };
  return { id: _id, at, text, ...mark };
}

/** A text may have line ends and escape sequences. */
function lineOf(doc: SetAsideDoc) {
  return rowOf({ ...doc, text: JSON.stringify(doc.text) });
}

/** Without an id `--all` is needed, so that no slip settles all. */
function settle(id: string | undefined, { all, by, note }: SettleOptions) {
  return withContext(async ({ db, now }) => {
    if ((id === undefined) !== (all === true)) throw new MisuseError('Give an id, or --all.');
    const count = await settleSetAside(db, id ?? null, { by, note, at: now().toISOString() });
    if (id !== undefined && count === 0) throw new UsageError(`${JSON.stringify(id)} does not wait for you.`);
    say(id === undefined ? `Settled ${count}.` : `Settled ${id}.`);
  });
}
