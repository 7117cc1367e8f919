import { MongoClientClosedError, MongoNotConnectedError, MongoServerError } from 'mongodb';
import { AppError } from '../../errors.ts';
import { isOutage } from '../../store/mongo/write.ts';
import type { Deadline } from '../admission/in-flight.ts';
import { internal, type Problem, unavailable } from '../http/problem.ts';
import type { Api } from '../open.ts';

type InTime<T> =
  | { readonly value: T; readonly problem: null }
  | { readonly value: null; readonly problem: Problem };

type Logs = Pick<Api, 'log' | 'logUnavailable'>;

/**
 * Maximum time of one step of a call. The limits of the drivers are longer: a MongoDB that hangs with
 * open sockets would hold a call for half a minute. A result after the deadline is dropped; nothing was
 * charged for it.
 */
export const DEADLINE_MS = 3_000;

/**
 * The same where the first reader has an answer computed, a brief of thousands of holders say. Longer than it takes on
 * a busy machine, and no longer than late work keeps its turn.
 */
export const FIRST_READER_MS = 10_000;

/**
 * Runs an action that may fail with a service. On failure the error is logged and the client gets a 503
 * or a 500. `deadline` is over then; `onLate` gets the value of an action that missed it.
 */
export async function withDeadline<T>(
  logs: Logs,
  action: (deadline: Deadline) => Promise<T>,
  { onLate, ms = DEADLINE_MS }: { readonly onLate?: (value: T) => void; readonly ms?: number } = {},
): Promise<InTime<T>> {
  const deadline = { isOver: false };
  try {
    return { value: await inTime(action(deadline), ms, onLate), problem: null };
  } catch (error) {
    deadline.isOver = true;
    return { value: null, problem: problemFrom(logs, error) };
  }
}

/** The answer to the client of a failed call. Logs the error. */
export function problemFrom({ log, logUnavailable }: Logs, error: unknown): Problem {
  if (!isUnavailable(error)) {
    log.error({ err: error }, 'call failed');
    return internal();
  }
  logUnavailable(error);
  const isPublic = error instanceof AppError && error.public !== error.message;
  return isPublic ? unavailable(error.public) : unavailable();
}

/**
 * The value of `action`; throws `deadline` when it takes longer than `limitMs`. Not `Promise.race`: every call comes
 * here three times.
 */
export function inTime<T>(
  action: Promise<T>,
  limitMs: number,
  onLate: (value: T) => void = () => undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(new AppError('deadline', `No answer within ${limitMs} ms`, LATE));
    }, limitMs);
    action.then(
      (value) => {
        clearTimeout(timer);
        if (isLate) onLate(value);
        else resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

const LATE = { status: 503, retry: true, public: unavailable().message };

const TIME_LIMIT = 50;
const CLOSED = [MongoNotConnectedError, MongoClientClosedError];
/** Of Node's sockets. The MongoDB driver passes on what it meets while it writes to a socket that was just ended. */
const SOCKET_LOST =
  /^(EPIPE|ECONN(RESET|REFUSED|ABORTED)|ETIMEDOUT|E(HOST|NET)UNREACH|ERR_STREAM_(DESTROYED|WRITE_AFTER_END))$/;
/** ioredis has no error class for a lost connection or a command that timed out. */
const REDIS_UNAVAILABLE = /Connection is closed|isn't writeable|Command timed out|max retries|ECONN|LOADING/;

/** A service did not answer; false for an error of ours. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof AppError) return error.status === 503;
  if (isOutage(error) || CLOSED.some((kind) => error instanceof kind)) return true;
  if (error instanceof MongoServerError) return error.code === TIME_LIMIT;
  if (!(error instanceof Error)) return false;
  return (
    SOCKET_LOST.test(String((error as NodeJS.ErrnoException).code)) ||
    REDIS_UNAVAILABLE.test(`${error.name} ${error.message}`)
  );
}
