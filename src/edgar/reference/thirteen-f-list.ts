import { Piscina } from 'piscina';
import type { SecurityList } from '../../domain/security/listed.ts';
import { EdgarError } from '../edgar-error.ts';
import { quarterOfList } from '../urls.ts';
import type { ListOutcome, ListTask } from './thirteen-f-list-thread.ts';

/** The longest real list has 2 MB of text or 3 MB of pages. */
const MAX_BYTES = 32 * 2 ** 20;
/** 526 pages take three seconds, on a machine that does much besides ten. */
const WALL_MS = 120_000;
const HEAP_MB = 512;

/**
 * Reads an Official List of Section 13(f) Securities, PDF or text, by the name that the SEC gives it
 * (`13flist2018q3.pdf`), which says the quarter. Off the event loop, within bounds of size, pages,
 * memory and time. Throws `edgar_malformed` for a file that cannot be read as a whole.
 */
export async function readThirteenFList(name: string, bytes: Buffer): Promise<SecurityList> {
  const quarterEnd = quarterOfList(name);
  if (quarterEnd === null) throw malformed(name, 'its name says no quarter');
  if (bytes.length > MAX_BYTES) throw malformed(name, `${bytes.length} bytes are more than any list has`);
  const outcome = await readInThread({ bytes: new Uint8Array(bytes), quarterEnd }, name);
  if (!outcome.ok) throw malformed(name, outcome.why);
  return outcome.list;
}

/** A thread for one list: they come four times a year. */
async function readInThread(task: ListTask, name: string): Promise<ListOutcome> {
  const pool = new Piscina<ListTask, ListOutcome>({
    filename: new URL('./thirteen-f-list-thread.ts', import.meta.url).href,
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

function malformed(name: string, why: string, cause?: unknown): EdgarError {
  return new EdgarError('edgar_malformed', `${name} cannot be read: ${why}`, { retry: true, cause });
}
