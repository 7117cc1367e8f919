import {
  MongoClientClosedError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { AppError } from '../errors.ts';
import type { Api } from './api.ts';
import { internal, type Problem, unavailable } from './problem.ts';

export type Attempted<T> =
  | { readonly value: T; readonly problem: null }
  | { readonly value: null; readonly problem: Problem };

/** Runs what may fail with a service. The error goes to the log, the client gets a 503 or a 500. */
export async function attempt<T>(api: Pick<Api, 'log'>, action: () => Promise<T>): Promise<Attempted<T>> {
  try {
    return { value: await action(), problem: null };
  } catch (error) {
    const away = isAway(error);
    api.log[away ? 'warn' : 'error']({ err: error }, 'call failed');
    return { value: null, problem: away ? awayProblem(error) : internal() };
  }
}

/** Shutdown, step-down, recovery, network (MongoDB's list of retryable read errors). */
const PASSING_CODES = new Set([6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);
/** ioredis has no error class of its own for a connection that is gone or a command that timed out. */
const REDIS_AWAY = /Connection is closed|isn't writeable|Command timed out|max retries|ECONN|LOADING/;

function awayProblem(error: unknown): Problem {
  return error instanceof AppError && error.public !== error.message
    ? unavailable(error.public)
    : unavailable();
}

/** A service did not answer, as against a mistake of ours. */
function isAway(error: unknown): boolean {
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
