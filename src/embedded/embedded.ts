import { rmSync } from 'node:fs';
import { AppError } from '../errors.ts';
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

type Options = { readonly engine: EngineWish; readonly report: (line: string) => void };

/**
 * Makes sure that the named services of `home` run, and takes a lease on them. Running services are
 * used; services that ended in a crash are started again on their data. `release` returns the lease.
 * The last one stops all services of the home.
 */
export function openEmbedded(home: string, names: readonly ServiceName[], options: Options) {
  const start = async (): Promise<OpenedServices['urls']> => {
    const state = await ensure(home, names, options);
    return Object.fromEntries(names.map((name) => [name, urlOf(name, state[name]?.port ?? 0)]));
  };
  const stop = async (): Promise<void> => {
    await Promise.all(processesOf(home).map((running) => stopProcess(running, STOP_LIMIT_MS)));
  };
  return openLeased(home, { limitMs: LOCK_LIMIT_MS, start, stop });
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
  { engine: wish, report }: Options,
): Promise<State> {
  const state: State = { ...readState(home), kind: 'embedded' };
  const engine = engineFor(home, names, wish);
  let missing = await unusable(names, state, ANSWER_LIMIT_MS);
  if (missing.length === 0) return state;
  const runtime = { ...(await openRuntime(report)), rustEngine: programOf(engine) };
  report(startLine(engine));
  // A free port may be taken a moment later, so there are several tries.
  for (let tries = 1; missing.length > 0; tries += 1) {
    for (const name of missing) {
      // The previous port when it is free, so clients that survived a crash find the service again.
      const last = tries === 1 ? state[name]?.port : undefined;
      const port = last !== undefined && (await isFree(last)) ? last : await freePort();
      state[name] = launch(home, name, port, runtime);
    }
    writeState(home, state);
    missing = await unusable(missing, state, READY_LIMIT_MS);
    const [failed] = missing;
    if (failed !== undefined && tries === MAX_TRIES) {
      const tail = logTail(home, failed);
      throw new AppError('service_start', `The embedded ${failed} service did not start:\n${tail}`);
    }
  }
  return state;
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
  return 'Starting the embedded MongoDB (Python engine; npm run engine builds one of a fifth of its CPU) and Redis …';
}

async function unusable(names: readonly ServiceName[], state: State, limitMs: number) {
  const usable = await Promise.all(names.map((name) => isUsable(name, state[name], limitMs)));
  return names.filter((_, at) => !usable[at]);
}

/** Runs, is ours and answers. A hanging or ending server is stopped before another starts on its data. */
async function isUsable(name: ServiceName, running: Running | undefined, limitMs: number): Promise<boolean> {
  if (running === undefined || !isAlive(running)) return false;
  const hasEnded = (): boolean => !isAlive(running);
  const isAnswering = await waitUntil(() => answers(name, urlOf(name, running.port)), limitMs, hasEnded);
  // Another server may answer on the port that ours could not bind.
  if (isAnswering && !hasEnded()) return true;
  await stopProcess(running, STOP_LIMIT_MS);
  return false;
}
