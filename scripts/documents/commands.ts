import { Command } from 'commander';
import { COMMANDS } from '../../src/cli/commands.ts';
import { documents, listings } from './listings.ts';

/** A command in the text or a listing of a document. */
export type Named = { readonly place: string; readonly command: string };

const PROGRAMS =
  /^(?:npx|npm|tidemark|docker|kubectl|pip|python|curl|claude|git|cp|export|mongodump|kill|\.ci\/run)(?= |$)/;
const COMMAND_TABLE = 'docs/operations.md';
const TIDEMARK = /^(?:npx (?:--no )?)?tidemark(?= |$)/;

/** Commands in backticks, and the lines of listings that call `tidemark` or `npm`. */
export function namedCommands(): readonly Named[] {
  const inText = [...documents()].flatMap(([place, text]) =>
    [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => ({ place, command: code.trim() })),
  );
  const inListings = listings('https://tidemark.example').flatMap(({ place, text }) =>
    text.split('\n').map((line) => ({ place, command: line.replace(/\s+# .*$/, '').trim() })),
  );
  return [
    ...inText.filter(({ command }) => PROGRAMS.test(command)),
    ...inListings.filter(({ command }) =>
      /^(?:npx (?:--no )?tidemark|tidemark|npm (?:run|test|ci)) /.test(command),
    ),
    ...inTable(documents().get(COMMAND_TABLE) ?? ''),
  ];
}

/** The table of commands leaves `tidemark` out; what follows a command on its row belongs to it. */
function inTable(page: string): Named[] {
  const section = page.split('\n## ').find((one) => one.startsWith('Command line')) ?? '';
  const cells = section.split('\n').flatMap((line) => /^\| (`.*?) \| /.exec(line)?.[1] ?? []);
  return cells.flatMap((cell) => {
    let last = '';
    return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => {
      last = /^\[?--/.test(code) ? `${last} ${code}` : code;
      return { place: COMMAND_TABLE, command: `tidemark ${last}` };
    });
  });
}

/** `tidemark` with the options of every command; where it runs, only the called one is loaded. */
export async function wholeCommandLine(): Promise<Command> {
  const program = new Command('tidemark');
  for (const { load } of COMMANDS) (await load())(program);
  return program;
}

export function isTidemark(command: string): boolean {
  return TIDEMARK.test(command);
}

/** What the command line does not know of the command; null when it knows all. */
export function unknownIn(command: string, program: Command): string | null {
  let at = program;
  const words = command.replace(TIDEMARK, '').replaceAll(/[[\]]/g, '').split(/\s+/);
  for (const word of words.filter((one) => one !== '')) {
    if (word.startsWith('--')) {
      const known = [...at.options.map(({ long }) => long), '--help'];
      if (!known.includes(word)) return word;
      continue;
    }
    const next = at.commands.find((one) => one.name() === word);
    if (next === undefined && at.commands.length > 0) return word;
    at = next ?? at;
  }
  return null;
}

/** The paths of all commands that do something, as `keys create`. */
export function leavesOf(program: Command, path: readonly string[] = []): string[] {
  if (program.commands.length === 0) return [path.join(' ')];
  return program.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));
}
