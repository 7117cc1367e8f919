import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { launch, logTail } from './launch.ts';
import { liveLeases, takeLease } from './lease.ts';
import { withLock } from './lock.ts';
import { freePort, isFree } from './port.ts';
import { answers, type ServiceName, urlOf } from './probe.ts';
import { isAlive, killProcess, stopProcess } from './process.ts';
import { type Running, readState, type State, writeState } from './state.ts';
import { openRuntime } from './venv.ts';
import { waitUntil } from './wait.ts';

/** The holder of the lock may be installing the pair. */
const LOCK_LIMIT_MS = 16 * 60_000;
const READY_LIMIT_MS = 60_000;
const ANSWER_LIMIT_MS = 10_000;
/** The MongoDB server writes a checkpoint for some seconds when it stops. */
const STOP_LIMIT_MS = 20_000;
const MAX_TRIES = 3;
const ALL: readonly ServiceName[] = ['mongo', 'credits', 'queue'];

/** URLs of services, and how to release them. */
export type OpenedServices = {
  readonly urls: Partial<Record<ServiceName, string>>;
  readonly release: () => Promise<void>;
};
type Report = (line: string) => void;

/**
 * Makes sure that the named services of `home` run, and takes a lease on them. Running services are
 * used; services that ended in a crash are started again on their data. `release` returns the lease.
 * The last one stops all services of the home.
 */
export async function openEmbedded(
  home: string,
  names: readonly ServiceName[],
  report: Report,
): Promise<OpenedServices> {
  return withHome(home, async () => {
    const releaseLease = takeLease(home);
    try {
      const state = await ensure(home, names, report);
      const urls = Object.fromEntries(names.map((name) => [name, urlOf(name, state[name]?.port ?? 0)]));
      let released = false;
      const release = async (): Promise<void> => {
        if (released) return;
        released = true;
        await withHome(home, () => leave(home, releaseLease));
      };
      return { urls, release };
    } catch (error) {
      await leave(home, releaseLease);
      throw error;
    }
  });
}

/** Kills the services of a home and removes its data: for homes of tests. */
export async function discardHome(home: string): Promise<void> {
  const state = readState(home);
  await Promise.all(ALL.map((name) => (state[name] ? killProcess(state[name]) : undefined)));
  rmSync(home, { recursive: true, force: true });
}

function withHome<T>(home: string, work: () => Promise<T>): Promise<T> {
  return withLock(join(home, 'services.lock'), LOCK_LIMIT_MS, work);
}

async function leave(home: string, releaseLease: () => void): Promise<void> {
  releaseLease();
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
  // A free port may be taken a moment later, so there are several tries.
  for (let tries = 1; missing.length > 0; tries += 1) {
    for (const name of missing) {
      const port = await choosePort(tries === 1 ? state[name]?.port : undefined);
      state[name] = launch(home, name, port, runtime);
    }
    writeState(home, state);
    const outcome = await Promise.all(
      missing.map(async (name) => ((await isReady(name, state)) ? [] : [name])),
    );
    missing = outcome.flat();
    const [failed] = missing;
    if (failed !== undefined && tries === MAX_TRIES) throw notStarted(home, failed);
  }
  return state;
}

/** Runs, is ours and answers. A hanging or ending server is stopped before another starts on its data. */
async function isUsable(name: ServiceName, state: State): Promise<boolean> {
  const running = state[name];
  if (running === undefined || !isAlive(running)) return false;
  if (await answersIn(name, running, ANSWER_LIMIT_MS)) return true;
  await stopProcess(running, STOP_LIMIT_MS);
  return false;
}

async function isReady(name: ServiceName, state: State): Promise<boolean> {
  const running = state[name];
  if (running === undefined) return false;
  const ready = await answersIn(name, running, READY_LIMIT_MS);
  // Another server may answer on the port that ours could not bind.
  if (ready && isAlive(running)) return true;
  await stopProcess(running, STOP_LIMIT_MS);
  return false;
}

function answersIn(name: ServiceName, running: Running, limitMs: number): Promise<boolean> {
  return waitUntil(
    () => answers(name, urlOf(name, running.port)),
    limitMs,
    () => !isAlive(running),
  );
}

/** The previous port when it is free, so clients that survived a crash find the service again. */
async function choosePort(last: number | undefined): Promise<number> {
  return last !== undefined && (await isFree(last)) ? last : freePort();
}

function notStarted(home: string, name: ServiceName): AppError {
  return new AppError('service_start', `The embedded ${name} service did not start:\n${logTail(home, name)}`);
}
