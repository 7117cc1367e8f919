import { rmSync } from 'node:fs';
import { AppError } from '../../src/errors.ts';
import {
  chooseEngine,
  type Engine,
  type EngineWish,
  engineThatMade,
  markEngine,
  rustEngine,
} from './engine.ts';
import { launch, logTail } from './launch.ts';
import { type OpenedServices, openLeased } from './lease.ts';
import { passwordOf } from './password.ts';
import { freePort, isFree } from './port.ts';
import { addFirstUser, answers, type ServiceName, urlOf } from './probe.ts';
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

type Options = { readonly engine: EngineWish; readonly report: (line: string) => void };

/**
 * Makes sure that the named services of `home` run, and takes a lease on them. Running services are
 * used; services that ended in a crash are started again on their data. `release` returns the lease.
 * The last one stops all services of the home.
 */
export function openEmbedded(home: string, names: readonly ServiceName[], options: Options) {
  const stop = async (): Promise<void> => {
    await Promise.all(processesOf(home).map((running) => stopProcess(running, STOP_LIMIT_MS)));
  };
  const start = async (): Promise<OpenedServices['urls']> => {
    const password = passwordOf(home);
    const state = await ensure(home, names, { ...options, password });
    return Object.fromEntries(names.map((name) => [name, urlOf(name, state[name]?.port ?? 0, password)]));
  };
  return openLeased(home, { kind: 'embedded', limitMs: LOCK_LIMIT_MS, start, stop });
}

/** Kills the services of a home and removes its data: for homes of tests. */
export async function discardHome(home: string): Promise<void> {
  await Promise.all(processesOf(home).map(killProcess));
  rmSync(home, { recursive: true, force: true });
}

function processesOf(home: string): Running[] {
  const { mongo, credits, queue } = readState(home);
  return [mongo, credits, queue].filter((running) => running !== undefined);
}

async function ensure(
  home: string,
  names: readonly ServiceName[],
  { engine: wish, report, password }: Options & { readonly password: string },
): Promise<State> {
  const state: State = { ...readState(home), kind: 'embedded' };
  const engine = engineFor(home, names, wish);
  const known = { state, password };
  let missing = await unusable(names, known, ANSWER_LIMIT_MS);
  if (missing.length === 0) return state;
  const runtime = { ...(await openRuntime(report)), rustEngine: programOf(engine), password };
  report(startLine(engine));
  // A free port may be taken a moment later, so there are several tries.
  for (let tries = 1; missing.length > 0; tries += 1) {
    // The previous ports when they are free, so clients that survived a crash find the services again.
    const last = tries === 1 ? state : {};
    for (const name of missing) state[name] = launch(home, name, await portFor(last[name]), runtime);
    writeState(home, state);
    if (missing.includes('mongo') && engine === 'rust') await makeUser(state.mongo, password);
    missing = await unusable(missing, known, READY_LIMIT_MS);
    const [failed] = missing;
    if (failed !== undefined && tries === MAX_TRIES) {
      const tail = logTail(home, failed);
      throw new AppError('service_start', `The embedded ${failed} service did not start:\n${tail}`);
    }
  }
  return state;
}

async function portFor(last: Running | undefined): Promise<number> {
  return last !== undefined && (await isFree(last.port)) ? last.port : freePort();
}

/** The engine of the home's MongoDB; undefined where MongoDB is not asked for. */
function engineFor(home: string, names: readonly ServiceName[], wish: EngineWish): Engine | undefined {
  if (!names.includes('mongo')) return undefined;
  const engine = chooseEngine(engineThatMade(home), wish, rustEngine());
  markEngine(home, engine);
  return engine;
}

function programOf(engine: Engine | undefined): string | null {
  return engine === 'rust' ? rustEngine() : null;
}

function startLine(engine: Engine | undefined): string {
  if (engine === undefined) return 'Starting the embedded Redis …';
  if (engine === 'rust') return 'Starting the embedded MongoDB (Rust engine) and Redis …';
  return 'Starting the embedded MongoDB (Python engine; the one of npm run engine takes a fifth of the CPU) and Redis …';
}

/** The other engine makes its user itself (python-engine.py). */
async function makeUser(mongo: Running | undefined, password: string): Promise<void> {
  if (mongo === undefined) return;
  await waitUntil(
    () => addFirstUser(mongo.port, password),
    READY_LIMIT_MS,
    () => !isAlive(mongo),
  );
}

type Known = { readonly state: State; readonly password: string };

async function unusable(names: readonly ServiceName[], { state, password }: Known, limitMs: number) {
  const usable = await Promise.all(
    names.map((name) => {
      const running = state[name];
      return (
        running !== undefined &&
        isUsable(running, () => answers(name, urlOf(name, running.port, password)), limitMs)
      );
    }),
  );
  return names.filter((_, at) => !usable[at]);
}

/** Runs, is ours and answers. A hanging or ending server is stopped before another starts on its data. */
async function isUsable(
  running: Running,
  isReady: () => Promise<boolean>,
  limitMs: number,
): Promise<boolean> {
  if (!isAlive(running)) return false;
  const hasEnded = (): boolean => !isAlive(running);
  const isAnswering = await waitUntil(isReady, limitMs, hasEnded);
  // Another server may answer on the port that ours could not bind.
  if (isAnswering && !hasEnded()) return true;
  await stopProcess(running, STOP_LIMIT_MS);
  return false;
}
