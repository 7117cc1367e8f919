import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { launch, logTail } from './launch.ts';
import { liveLeases, takeLease } from './lease.ts';
import { withLock } from './lock.ts';
import { freePort, isFree } from './port.ts';
import { answers, type ServiceName, urlOf, waitUntil } from './probe.ts';
import { isAlive, killProcess, stopProcess } from './process.ts';
import { readState, type State, writeState } from './state.ts';
import { openRuntime } from './venv.ts';

/** The holder may be installing the pair. */
const LOCK_LIMIT_MS = 16 * 60_000;
const READY_LIMIT_MS = 60_000;
/** A mongo server checkpoints for some seconds when it stops. */
const STOP_LIMIT_MS = 20_000;
const ALL: readonly ServiceName[] = ['mongo', 'credits', 'queue'];

export type Filled = {
  readonly urls: Partial<Record<ServiceName, string>>;
  readonly release: () => Promise<void>;
};
type Report = (line: string) => void;

/**
 * Makes the named services of `home` run, and counts this caller as a user of them. What runs
 * already is used; what a crash left dead is started again on its data. `release` gives the lease
 * back, and the last user out stops everything the home runs.
 */
export async function openEmbedded(
  home: string,
  names: readonly ServiceName[],
  report: Report,
): Promise<Filled> {
  return withHome(home, async () => {
    const giveBack = takeLease(home);
    try {
      const state = await ensure(home, names, report);
      const urls = Object.fromEntries(names.map((name) => [name, urlOf(name, state[name]?.port ?? 0)]));
      let released = false;
      const release = async (): Promise<void> => {
        if (released) return;
        released = true;
        await withHome(home, () => leave(home, giveBack));
      };
      return { urls, release };
    } catch (error) {
      await leave(home, giveBack);
      throw error;
    }
  });
}

/** Kills whatever the home runs and removes its data: for homes of tests. */
export async function discardHome(home: string): Promise<void> {
  const state = readState(home);
  await Promise.all(ALL.map((name) => (state[name] ? killProcess(state[name]) : undefined)));
  rmSync(home, { recursive: true, force: true });
}

function withHome<T>(home: string, work: () => Promise<T>): Promise<T> {
  return withLock(join(home, 'services.lock'), LOCK_LIMIT_MS, work);
}

async function leave(home: string, giveBack: () => void): Promise<void> {
  giveBack();
  if (liveLeases(home) > 0) return;
  const state = readState(home);
  await Promise.all(ALL.map((name) => (state[name] ? stopProcess(state[name], STOP_LIMIT_MS) : undefined)));
}

async function ensure(home: string, names: readonly ServiceName[], report: Report): Promise<State> {
  const state: State = { ...readState(home), kind: 'embedded' };
  const checked = await Promise.all(names.map(async (name) => ((await isUsable(name, state)) ? [] : [name])));
  let missing = checked.flat();
  if (missing.length === 0) return state;
  const runtime = await openRuntime(report);
  report('Starting the embedded MongoDB and Redis …');
  // A port that was free when asked may be taken a moment later: hence more than one try.
  for (let attempt = 1; missing.length > 0; attempt += 1) {
    for (const name of missing) {
      const port = await choosePort(attempt === 1 ? state[name]?.port : undefined);
      state[name] = launch(home, name, port, runtime);
    }
    writeState(home, state);
    const outcome = await Promise.all(
      missing.map(async (name) => ((await isReady(name, state)) ? [] : [name])),
    );
    missing = outcome.flat();
    const [failed] = missing;
    if (failed !== undefined && attempt === 3) throw notStarted(home, failed);
  }
  return state;
}

/** Running, ours and answering. One that hangs, or that is still ending, is stopped before another starts on its data. */
async function isUsable(name: ServiceName, state: State): Promise<boolean> {
  const running = state[name];
  if (running === undefined || !isAlive(running)) return false;
  if (
    await waitUntil(
      () => answers(name, urlOf(name, running.port)),
      10_000,
      () => !isAlive(running),
    )
  )
    return true;
  await stopProcess(running, STOP_LIMIT_MS);
  return false;
}

async function isReady(name: ServiceName, state: State): Promise<boolean> {
  const running = state[name];
  if (running === undefined) return false;
  const dead = (): boolean => !isAlive(running);
  const ready = await waitUntil(() => answers(name, urlOf(name, running.port)), READY_LIMIT_MS, dead);
  // Somebody else's server may answer on the port that ours could not bind.
  if (ready && !dead()) return true;
  await stopProcess(running, STOP_LIMIT_MS);
  return false;
}

/** The port of last time when it is free, so that clients which outlived a crash find the service again. */
async function choosePort(last: number | undefined): Promise<number> {
  return last !== undefined && (await isFree(last)) ? last : freePort();
}

function notStarted(home: string, name: ServiceName): AppError {
  return new AppError('service_start', `The embedded ${name} service did not start:\n${logTail(home, name)}`);
}
