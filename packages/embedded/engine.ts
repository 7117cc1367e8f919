import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { UsageError } from '../../src/errors.ts';

/**
 * The two MongoDB-wire servers of one project (SecantusDB) that can be embedded: the one in Python, which
 * pip installs everywhere, and the one in Rust, which takes a fifth of its CPU and needs cargo once.
 */
export type Engine = 'python' | 'rust';
export type EngineWish = Engine | 'auto';

/** The Rust server on crates.io. Pinned: it is a pre-release. */
export const ENGINE_CRATE = {
  name: 'secantus-mdb',
  version: '0.5.3-beta.193',
  program: 'secantusd-rs',
} as const;

/** Where `npm run engine` builds it: outside the checkout, for all checkouts of the user. */
export function engineFolder(env: NodeJS.ProcessEnv = process.env): string {
  const cache = env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'tidemark', 'engine', ENGINE_CRATE.version);
}

/** The Rust server that `npm run engine` built, else one on PATH; null when there is none. */
export function rustEngine(env: NodeJS.ProcessEnv = process.env): string | null {
  const built = join(engineFolder(env), 'bin', ENGINE_CRATE.program);
  return existsSync(built) ? built : findOnPath(ENGINE_CRATE.program, env);
}

export function findOnPath(program: string, env: NodeJS.ProcessEnv = process.env): string | null {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path)) ?? null;
}

/**
 * The engine that wrote the data of a home; undefined for a home without data. A mark of its own, because
 * the state of the services may be lost without the data. Homes of before there was a choice have none.
 */
export function engineThatMade(home: string): Engine | undefined {
  const path = join(home, 'engine');
  if (existsSync(path)) return readFileSync(path, 'utf8').trim() === 'rust' ? 'rust' : 'python';
  const data = join(home, 'mongo');
  return existsSync(data) && readdirSync(data).length > 0 ? 'python' : undefined;
}

/** Written before the first start of the engine. */
export function markEngine(home: string, engine: Engine): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, 'engine'), `${engine}\n`);
}

/**
 * The engine of a home: the one that made it, else the one that is wished, else the faster one that is
 * there. Throws a UsageError where the Rust server is needed and missing, or the wish is another engine
 * than that of the home.
 */
export function chooseEngine(made: Engine | undefined, wish: EngineWish, rust: string | null): Engine {
  const found: Engine = rust === null ? 'python' : 'rust';
  const chosen = made ?? (wish === 'auto' ? found : wish);
  if (wish !== 'auto' && wish !== chosen) {
    throw new UsageError(
      `The data of this home was written by the ${chosen} engine, and EMBEDDED_ENGINE=${wish}. Change that, or set TIDEMARK_HOME to another folder.`,
    );
  }
  if (chosen === 'rust' && rust === null) {
    throw new UsageError(
      `The ${ENGINE_CRATE.program} server is not on PATH. Build it with npm run engine (needs cargo), or set EMBEDDED_ENGINE=python and another TIDEMARK_HOME.`,
    );
  }
  return chosen;
}
