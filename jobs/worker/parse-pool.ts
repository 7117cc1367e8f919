import { Piscina } from 'piscina';
import type { Accession } from '../../src/domain/ids.ts';
import { AppError } from '../../src/errors.ts';
import type { ParseOutcome, ParseTask } from './parse-worker.ts';

/** Longer than this and the thread is stopped: no real filing needs a tenth of it. */
const WALL_MS = 30_000;
/** Old-generation heap of a parsing thread. */
const HEAP_MB = 256;

/** Parsing off the event loop, so that locks renew and health answers while a large table is read. */
export type ParsePool = {
  /**
   * Throws `parse_timeout` or `parse_crashed` (both retryable: the pipeline counts them and
   * quarantines the third); a filing that cannot be parsed is an outcome, not an error.
   */
  readonly parse: (bytes: Uint8Array, accession: Accession) => Promise<ParseOutcome>;
  /** Settles when the first thread has started, which takes a second. */
  readonly started: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export function openParsePool(threads: number): ParsePool {
  const pool = new Piscina<ParseTask, ParseOutcome>({
    filename: new URL('./parse-worker.ts', import.meta.url).href,
    name: 'parseInThread',
    execArgv: ['--import', import.meta.resolve('tsx')],
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: 10_000,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  pool.on('error', () => undefined);
  let starting: Promise<void> | null = null;
  return {
    parse: async (bytes, accession) => {
      const signal = AbortSignal.timeout(WALL_MS);
      try {
        return await pool.run({ bytes, accession }, { signal });
      } catch (cause) {
        const code = signal.aborted ? 'parse_timeout' : 'parse_crashed';
        throw new AppError(code, `${accession}: ${code}`, { retry: true, cause });
      }
    },
    started: () => {
      // A thread that cannot start fails the next parse, which says so.
      starting ??= pool.run(undefined as never, { name: 'startThread' }).then(
        () => undefined,
        () => undefined,
      );
      return starting;
    },
    close: () => pool.destroy(),
  };
}
