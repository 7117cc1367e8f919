import { Command, CommanderError } from 'commander';
import { COMMANDS } from './cli/commands.ts';
import { forTerminal } from './cli/rows.ts';
import { VERSION } from './domain/version.ts';
import { MisuseError } from './errors.ts';

/** Exit codes: 0 success, 1 the command or its check failed, 2 the command line is wrong. */
const FAILED = 1;
const MISUSED = 2;

/**
 * The operator's command `tidemark`. Returns the exit code. Results go to stdout, everything else to
 * stderr. A mistake of the user is one line, never a stack trace.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const program = new Command('tidemark')
    .description('Who is really building or leaving a position, with proof: SEC 13F and Form 4 as briefs.')
    .version(VERSION)
    .showHelpAfterError('(add --help for the usage)')
    .exitOverride()
    .addHelpText('after', '\nSettings are environment variables; .env.example lists them all.');
  await addCommands(program, argv);
  inheritExit(program);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return explained(error);
  }
}

/** Adds every command: with its options and what it does where it is called, else only for the help. */
async function addCommands(program: Command, argv: readonly string[]): Promise<void> {
  const names = COMMANDS.map(({ usage }) => usage.split(' ')[0]);
  // The first word, or the second after `help`.
  const called = argv.find((word) => names.includes(word));
  for (const [at, { usage, about, load }] of COMMANDS.entries()) {
    if (names[at] === called) (await load())(program);
    else program.command(usage);
    program.commands.at(-1)?.description(about);
  }
}

/** Commander would exit the process for a mistake in a subcommand; each one needs its own override. */
function inheritExit(command: Command): void {
  for (const child of command.commands) {
    child.exitOverride().showHelpAfterError('(add --help for the usage)');
    inheritExit(child);
  }
}

function explained(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`tidemark: ${forTerminal(message)}\n`);
  return error instanceof MisuseError ? MISUSED : FAILED;
}
