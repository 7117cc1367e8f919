import { Command, CommanderError } from 'commander';
import { addAudit } from './cli/audit/command.ts';
import { addBackfill } from './cli/backfill-command.ts';
import { addBackup, addRestore } from './cli/backup-commands.ts';
import { addBrief } from './cli/brief-commands.ts';
import { addCredits, addKeys, addVouchers } from './cli/credit-commands.ts';
import { addDoctor } from './cli/doctor-command.ts';
import { addEdgar } from './cli/edgar-command.ts';
import { addEvents } from './cli/events-command.ts';
import { addFailures } from './cli/failures-commands.ts';
import { addHealth } from './cli/health-command.ts';
import { addBoard, addSchedule, addServe, addWork } from './cli/process-commands.ts';
import { addReparse } from './cli/reparse-command.ts';
import { addReplay } from './cli/replay-command.ts';
import { addStatus } from './cli/status-command.ts';
import { VERSION } from './domain/version.ts';

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
  for (const add of COMMANDS) add(program);
  inheritExit(program);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return explained(error);
  }
}

const COMMANDS = [
  addServe,
  addWork,
  addSchedule,
  addBoard,
  addKeys,
  addCredits,
  addVouchers,
  addBrief,
  addEdgar,
  addReplay,
  addBackfill,
  addStatus,
  addDoctor,
  addHealth,
  addBackup,
  addRestore,
  addAudit,
  addFailures,
  addEvents,
  addReparse,
];

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
  process.stderr.write(`tidemark: ${message}\n`);
  return FAILED;
}
