import { Piscina } from 'piscina';
import type { Accession } from '../../src/domain/ids.ts';
import { AppError } from '../../src/errors.ts';
import type { ParseOutcome, ParseTask, Submission } from './parse-worker.ts';

/** More than this and the thread is stopped: no real filing needs a tenth of it. */
const LIMIT_MS = 30_000;
const LOOK_MS = 1_000;
/** A thread without work ends after so long. */
const IDLE_MS = 10_000;
/** Old-generation heap of a parsing thread. */
const HEAP_MB = 256;

/** Parsing off the event loop, so that locks renew and health answers while a large table is read. */
export type ParsePool = {
  /**
   * The bytes move to the thread, so the caller has none afterwards. Throws `parse_timeout` or `parse_crashed` (both
   * retryable: the pipeline counts them and quarantines the third); a filing that cannot be parsed is an outcome, not an error.
   */
  readonly parse: (bytes: Uint8Array, accession: Accession) => Promise<ParseOutcome>;
  /** {@link ParsePool.parse} of several in one thread and one limit: an outcome for each, in their order. */
  readonly parseAll: (submissions: readonly Submission[]) => Promise<ParseOutcome[]>;
  /** Settles when the first thread has started, which takes a second. */
  readonly started: () => Promise<void>;
  readonly close: () => Promise<void>;
};

type PoolOptions = { readonly limitMs?: number; readonly idleMs?: number };

export function openParsePool(
  threads: number,
  { limitMs = LIMIT_MS, idleMs = IDLE_MS }: PoolOptions = {},
): ParsePool {
  const pool = new Piscina<ParseTask, ParseOutcome[]>({
    filename: new URL('./parse-worker.ts', import.meta.url).href,
    name: 'parseInThread',
    execArgv: ['--import', new URL('../../src/typescript.mjs', import.meta.url).href],
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleMs,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  pool.on('error', () => undefined);
  let starting: Promise<void> | null = null;
  const parseAll: ParsePool['parseAll'] = async (submissions) => {
    const begun = new Int32Array(new SharedArrayBuffer(4));
    const stop = new AbortController();
    const isOver = parseLimit(begun, limitMs);
    const timer = lookEach(Math.min(LOOK_MS, limitMs), isOver, () => stop.abort());
    try {
      const transferList = wholeBuffers(submissions);
      return await pool.run({ submissions, begun }, { signal: stop.signal, transferList });
    } catch (cause) {
      const code = stop.signal.aborted ? 'parse_timeout' : 'parse_crashed';
      const named = submissions.map(({ accession }) => accession).join(', ');
      throw new AppError(code, `${named}: ${code}`, { retry: true, cause });
    } finally {
      clearInterval(timer);
    }
  };
  return {
    parse: async (bytes, accession) => {
      const [outcome] = await parseAll([{ bytes, accession }]);
      if (outcome === undefined) throw new Error(`${accession}: no outcome`);
      return outcome;
    },
    parseAll,
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

/** The memory that holds a submission and nothing else; what shares its memory is copied. */
function wholeBuffers(submissions: readonly Submission[]): ArrayBuffer[] {
  const buffers = submissions.flatMap(({ bytes: { buffer, byteLength } }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [],
  );
  return [...new Set(buffers)];
}

/**
 * Calls `stop` when a look finds that a parse has had its time. An answer that came while the event loop of this
 * process computed is read before that: its parse has ended.
 */
export function lookEach(ms: number, isOver: () => boolean, stop: () => void): NodeJS.Timeout {
  return setInterval(() => isOver() && setImmediate(stop), ms);
}

type Spent = { readonly wallMs: number; readonly cpuMs: number };

/**
 * Whether a parse has had its time: by the clock since a thread has begun it, and by the CPU that this process
 * was given meanwhile. Waiting for a thread, or for a processor, is no fault of the filing.
 */
export function parseLimit(begun: Int32Array, limitMs: number, spent: () => Spent = spentSoFar) {
  let from: Spent | null = null;
  return (): boolean => {
    if (Atomics.load(begun, 0) === 0) return false;
    const { wallMs, cpuMs } = spent();
    from ??= { wallMs, cpuMs };
    return Math.min(wallMs - from.wallMs, cpuMs - from.cpuMs) >= limitMs;
  };
}

function spentSoFar(): Spent {
  const { user, system } = process.cpuUsage();
  return { wallMs: performance.now(), cpuMs: (user + system) / 1_000 };
}
