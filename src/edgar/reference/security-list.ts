import { Piscina } from 'piscina';
import type { SecurityList } from '../../domain/security/listed.ts';
import { malformed } from '../error.ts';
import { quarterOfSecurityList } from '../urls.ts';
import type { ListOutcome, ListTask } from './security-list-thread.ts';

/** The longest real list has 2 MB of text or 3 MB of pages. */
const MAX_BYTES = 32 * 2 ** 20;
/** 526 pages take three seconds, ten on a busy machine. */
const WALL_MS = 120_000;
const HEAP_MB = 512;

/**
 * Reads an Official List of Section 13(f) Securities, PDF or text. Its name (`13flist2018q3.pdf`) gives
 * the quarter. Reads in a thread, with limits of size, pages, memory and time. Throws `edgar_malformed`
 * for a file that cannot be read as a whole.
 */
export async function readSecurityList(name: string, bytes: Buffer): Promise<SecurityList> {
  const quarterEnd = quarterOfSecurityList(name);
  if (quarterEnd === null) throw malformed(name, 'its name has no quarter');
  if (bytes.length > MAX_BYTES) throw malformed(name, `${bytes.length} bytes are more than any list has`);
  const outcome = await readInThread({ bytes: new Uint8Array(bytes), quarterEnd }, name);
  if (!outcome.ok) throw malformed(name, outcome.why);
  return outcome.list;
}

/** Starts a thread for one list: a list appears four times a year. */
async function readInThread(task: ListTask, name: string): Promise<ListOutcome> {
  const pool = new Piscina<ListTask, ListOutcome>({
    filename: new URL('./security-list-thread.ts', import.meta.url).href,
    name: 'readListInThread',
    execArgv: ['--import', import.meta.resolve('tsx')],
    minThreads: 0,
    maxThreads: 1,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  pool.on('error', () => undefined);
  const signal = AbortSignal.timeout(WALL_MS);
  try {
    return await pool.run(task, { signal });
  } catch (cause) {
    throw malformed(name, signal.aborted ? 'it takes too long to read' : 'its reader stopped', cause);
  } finally {
    await pool.destroy();
  }
}
