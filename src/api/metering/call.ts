import type { ServerResponse } from 'node:http';
import type { Opened, Presented } from '../../credits/account/gate.ts';
import type { Call, Credential } from '../../credits/wallet.ts';
import { rateLimited, rateLimitHeaders } from '../admission/rate-limit.ts';
import type { Api } from '../api.ts';
import type { Outcome, ReadCall } from '../endpoint/endpoint.ts';
import type { HeaderList } from '../http/base-headers.ts';
import { invalid, type Problem, unauthorized, unavailable } from '../http/problem.ts';
import type { NamedCall, Priced } from './idempotency.ts';
import type { OpenedCall } from './opened-call.ts';
import { readingOf } from './reading.ts';
import { refusalProblem } from './refusal.ts';
import { charge, NOTHING_CHARGED } from './settle.ts';
import { withDeadline } from './with-deadline.ts';

/** A call of an endpoint as it was understood, over REST or as an agent tool. */
export type CallRequest = {
  readonly presented: Presented;
  readonly read: ReadCall;
  readonly named: NamedCall;
};
/** `metered` are the headers that the refusal carries beside its own. */
export type Opening =
  | { readonly opened: OpenedCall; readonly problem: null }
  | { readonly opened: null; readonly problem: Problem; readonly metered: HeaderList };

/**
 * Authenticates, counts the call against the key's pace, judges the arguments and the balance, in
 * this order (rule 11.2): nothing about balance or data is revealed before the earlier check has passed.
 * A test key pays nothing: neither balance nor Idempotency-Key have anything to say there.
 */
export async function openCall(api: Api, endpoint: Priced, asked: CallRequest): Promise<Opening> {
  const { read, presented } = asked;
  const { mode } = presented;
  const named = mode === 'test' ? unpriced(asked.named) : asked.named;
  // A call that is not valid is authenticated all the same, and told nothing of the balance.
  const call = read.ok ? named.call : { ...named.call, cost: 0 };
  const claims = named.claims && read.ok;
  const tried = await withDeadline(
    api,
    () => api.gate.open(presented, call, claims),
    // The client was told 503: its next try must not meet a claim that nobody holds.
    (late) => {
      if (claims && late !== null) void release(api, late.credential, call);
    },
  );
  // Without Redis or Mongo nobody is authenticated, so nothing is said about credits.
  if (tried.problem !== null) return refuse(tried.problem, []);
  const opened = tried.value;
  if (opened === null) return refuse(unauthorized(true), []);
  const { credential, result } = opened;
  const keyHeaders = [
    ...rateLimitHeaders(api.rateLimit, callsLeft(opened)),
    ...(mode === 'test' ? SANDBOX : []),
  ];
  const told = unchargedHeaders(endpoint, keyHeaders);
  const refused = refusedOpening(api, endpoint, opened);
  if (refused !== null) return refuse(refused, refused.status === 401 ? [] : told);
  if (!read.ok) return refuse(invalid(read.details), told);
  if (!api.inFlight.enter(credential.keyId)) {
    if (claims) await release(api, credential, call);
    return refuse(rateLimited('This key has too many calls in flight; nothing was charged.', 1), told);
  }
  const { balance } = result;
  return { opened: { credential, mode, named, balance, run: read.run, keyHeaders }, problem: null };
}

/** On every answer to a test key. */
const SANDBOX: HeaderList = ['X-Sandbox', 'true'];

function unpriced({ call, details }: NamedCall): NamedCall {
  return { call: { ...call, cost: 0 }, claims: false, details };
}

/** What the work answered, but for its expected errors. */
export type Answered = Exclude<Outcome<unknown>, { readonly kind: 'problem' }>;

/** How an answer leaves: over REST as it is, over the agent tools in an envelope. */
export type Responder<T> = {
  /** Carries the answer: a charge is taken back when it closes before its bytes were handed over. */
  readonly res: ServerResponse;
  /** Builds the whole answer, before anything is charged. */
  readonly build: (answered: Answered) => T;
  /** Hands it over, with the headers of its charge. */
  readonly deliver: (answer: T, metered: HeaderList) => void;
  readonly refuse: (problem: Problem, metered: HeaderList) => void;
};

/** Does the work, builds the whole answer, charges, hands over (rule 12.2). */
export async function finishCall<T>(
  api: Api,
  endpoint: Priced,
  opened: OpenedCall,
  via: Responder<T>,
): Promise<void> {
  try {
    const problem = await answer(api, endpoint, opened, via);
    if (problem === null) return;
    // A call that failed uncharged does not use its Idempotency-Key up.
    if (opened.named.claims) await release(api, opened.credential, opened.named.call);
    via.refuse(problem, problem.status === 401 ? [] : unchargedHeaders(endpoint, opened.keyHeaders));
  } finally {
    api.inFlight.leave(opened.credential.keyId);
  }
}

/** Null when the answer was handed over, or when nobody waits for it any more. */
async function answer<T>(
  api: Api,
  endpoint: Priced,
  opened: OpenedCall,
  via: Responder<T>,
): Promise<Problem | null> {
  const { credential, mode, keyHeaders } = opened;
  const { call, claims } = opened.named;
  const done = await withDeadline(api, async () => opened.run(await readingOf(api, opened)));
  if (done.problem !== null) return done.problem;
  if (done.value.kind === 'problem') return done.value.problem;
  const built = via.build(done.value);
  if (endpoint.credits === 0 || mode === 'test') {
    via.deliver(built, unchargedHeaders(endpoint, keyHeaders));
    return null;
  }
  const deliver = (metered: HeaderList): void => via.deliver(built, [...metered, ...keyHeaders]);
  const charged = await charge(api, { res: via.res, credential, call }, deliver);
  if (charged === 'sent') return null;
  if (charged === 'unanswered') return unavailable();
  if (charged !== 'gone') return refusalProblem(charged, call.cost, api);
  if (claims) await release(api, credential, call);
  return null;
}

async function release(api: Api, credential: Credential, call: Call): Promise<void> {
  await api.wallet.release(credential, call).catch(() => undefined);
}

function refuse(problem: Problem, metered: HeaderList): Opening {
  return { opened: null, problem, metered };
}

/** What an answer that was not charged says about credits; nothing where nothing is metered. */
function unchargedHeaders(endpoint: Priced, keyHeaders: HeaderList): HeaderList {
  return endpoint.credits === 0 ? keyHeaders : [...NOTHING_CHARGED, ...keyHeaders];
}

/** The third value of a refusal for its pace is a time. */
function callsLeft({ result }: Opened): number | null {
  return result.kind === 'rate_limited' ? null : result.calls;
}

function refusedOpening(api: Api, endpoint: Priced, { result }: Opened): Problem | null {
  if (result.kind === 'open' || result.kind === 'replay') return null;
  return refusalProblem(result, endpoint.credits, api);
}
