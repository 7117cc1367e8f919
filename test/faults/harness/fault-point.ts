import type { Around, Command } from '../../store/interrupted.ts';

/**
 * Where a process is stopped or dies: at its n-th passage of a command on the database. `events.insertMany:after`
 * is when MongoDB has inserted and the process does not know it yet; `*` is any command.
 */
export type FaultPoint = {
  readonly at: string;
  readonly nth: number;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
};

/** The fault point as settings of a child process. */
export function faultEnv(point: FaultPoint | null): Record<string, string> {
  return point === null ? {} : { FAULT_POINT: JSON.stringify(point) };
}

/** In that process: what it does around each command. It strikes itself, so nothing happens in between. */
export function faultFromEnv(): Around {
  const given = process.env['FAULT_POINT'];
  if (given === undefined) return {};
  const { at, nth, signal } = JSON.parse(given) as FaultPoint;
  let passed = 0;
  const strike = (moment: 'before' | 'after') => async (command: Command) => {
    if (at !== '*' && at !== `${command.collection}.${command.name}:${moment}`) return;
    passed += 1;
    if (passed !== nth) return;
    process.stdout.write(`struck at ${command.collection}.${command.name}:${moment}\n`);
    process.kill(process.pid, signal);
  };
  return { before: strike('before'), after: strike('after') };
}
