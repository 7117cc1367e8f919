import {
  MongoClientClosedError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { AppError } from '../../errors.ts';
import type { Api } from '../api.ts';
import { internal, type Problem, unavailable } from '../http/problem.ts';

export type InTime<T> =
  | { readonly value: T; readonly problem: null }
  | { readonly value: null; readonly problem: Problem };

/**
 * Longest that one step of a call may take, in milliseconds. The drivers' own limits are longer: a
 * Mongo that hangs without closing its sockets would hold a call for half a minute, a dead one for
 * the five seconds of the server selection. What comes later is dropped; nothing is charged by then.
 */
const DEADLINE_MS = 3_000;

/**
 * Runs what may fail with a service. The error goes to the log, the client gets a 503 or a 500.
 * `late` gets the value of an action that missed the deadline.
 */
export async function withDeadline<T>(
  api: Pick<Api, 'log' | 'logUnavailable'>,
  action: () => Promise<T>,
  late: (value: T) => void = () => undefined,
): Promise<InTime<T>> {
  try {
    return { value: await inTime(action(), late), problem: null };
  } catch (error) {
    return { value: null, problem: problemFrom(api, error) };
  }
}

/** What the client of a failed call is told; the error goes to the log. */
export function problemFrom(api: Pick<Api, 'log' | 'logUnavailable'>, error: unknown): Problem {
  if (!isUnavailable(error)) {
    api.log.error({ err: error }, 'call failed');
    return internal();
  }
  api.logUnavailable(error);
  return unavailableProblem(error);
}

async function inTime<T>(action: Promise<T>, late: (value: T) => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new AppError('deadline', `No answer within ${DEADLINE_MS} ms`, DEADLINE));
      action.then(late, () => undefined);
    }, DEADLINE_MS);
  });
  try {
    return await Promise.race([action, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

const DEADLINE = { status: 503, retry: true, public: unavailable().message };

/** Time limit; shutdown, step-down, recovery, network (MongoDB's list of retryable read errors). */
const PASSING_CODES = new Set([50, 6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);
/** ioredis has no error class of its own for a connection that is gone or a command that timed out. */
const REDIS_AWAY = /Connection is closed|isn't writeable|Command timed out|max retries|ECONN|LOADING/;

function unavailableProblem(error: unknown): Problem {
  return error instanceof AppError && error.public !== error.message
    ? unavailable(error.public)
    : unavailable();
}

/** A service did not answer, as against a mistake of ours. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof AppError) return error.status === 503;
  if (error instanceof MongoServerError) return PASSING_CODES.has(Number(error.code));
  if (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error instanceof MongoNotConnectedError ||
    error instanceof MongoClientClosedError
  ) {
    return true;
  }
  return error instanceof Error && REDIS_AWAY.test(`${error.name} ${error.message}`);
}
