import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Opened, Presented } from '../../credits/account/gate.ts';
import { mayBeOurs } from '../../credits/account/key.ts';
import type { Call, Credential } from '../../credits/wallet.ts';
import { sha256Hex } from '../../domain/canonical.ts';
import type { KeyMode } from '../../store/account/keys.ts';
import { unsentKey } from '../admission/credential.ts';
import { callRateLimited, rateLimited, rateLimitHeaders } from '../admission/rate-limit.ts';
import type { ReadCall } from '../endpoint/endpoint.ts';
import type { HeaderList } from '../http/base-headers.ts';
import type { Noted } from '../http/noted.ts';
import { invalid, type Problem, unauthorized, unavailable } from '../http/problem.ts';
import type { Api } from '../open.ts';
import type { Answered, NamedCall, OpenedCall, Priced } from './idempotency.ts';
import { charge, NOTHING_CHARGED, refusalProblem } from './settle.ts';
import { withDeadline } from './with-deadline.ts';
import { workOn } from './work.ts';

/** A call of an endpoint, over REST or as an agent tool. */
export type CallRequest = {
  readonly endpoint: Priced;
  readonly presented: Presented;
  readonly read: ReadCall;
  readonly named: NamedCall;
  readonly noted: Noted;
};

/** `metered` are the headers of a refusal in addition to its own. */
type Opening =
  | { readonly opened: OpenedCall; readonly problem: null }
  | { readonly opened: null; readonly problem: Problem; readonly metered: HeaderList };

/** On every answer to a test key. */
function sandboxHeaders(mode: KeyMode): HeaderList {
  return mode === 'test' ? ['X-Sandbox', 'true'] : [];
}

/**
 * Authenticates, counts the call against the rate limit, checks the arguments and the balance, in
 * this order (rule 11.2): nothing about balance or data is revealed before the earlier check has passed.
 * A test key pays nothing, so neither balance nor Idempotency-Key matter for it.
 */
export async function openCall(api: Api, request: CallRequest): Promise<Opening> {
  const { presented, read } = request;
  const named = presented.mode === 'test' ? unpriced(request.named) : request.named;
  const known = api.accounts.known(presented);
  if (known !== null) noteKey(request.noted, known);
  const waitMs = known === null ? 0 : api.overRate.waitOf(known.orgId);
  if (waitMs > 0) {
    return refused(
      callRateLimited(api.rateLimit, waitMs),
      unchargedHeaders(request.endpoint, sandboxHeaders(presented.mode)),
    );
  }
  // An invalid call is authenticated too, but its answer reveals nothing about the balance.
  const call = read.ok ? named.call : { ...named.call, cost: 0 };
  const claims = named.claims && read.ok;
  const { value: opened, problem } = await withDeadline(api, () => api.gate.open(presented, call, claims), {
    // The client got 503: a claim left by this try would block its next one.
    onLate: (late) => {
      if (claims && late !== null) void release(api, late.credential, call);
    },
  });
  // Without Redis or MongoDB the call is not authenticated, so nothing is said about credits.
  if (problem !== null) return refused(problem, []);
  if (opened === null) return refused(unauthorized(), []);
  noteKey(request.noted, opened.credential);
  const opening = judge(api, { ...request, named }, opened);
  if (opening.problem === TOO_MANY_IN_FLIGHT && claims) await release(api, opened.credential, call);
  return opening;
}

function noteKey(noted: Noted, { orgId, keyId }: Pick<Credential, 'orgId' | 'keyId'>): void {
  noted.orgId = orgId;
  noted.keyId = keyId;
}

/** What an authenticated call may do: its work, or nothing. */
function judge(api: Api, { endpoint, presented, read, named }: CallRequest, opened: Opened): Opening {
  const { credential, result } = opened;
  const { mode } = presented;
  if (result.kind === 'rate_limited') api.overRate.note(credential.orgId, result.waitMs);
  const keyHeaders = [...rateLimitHeaders(api.rateLimit, result.calls), ...sandboxHeaders(mode)];
  const metered = unchargedHeaders(endpoint, keyHeaders);
  if (result.kind !== 'open' && result.kind !== 'replay') {
    const problem = refusalProblem(result, endpoint.credits, api);
    return refused(problem, problem.status === 401 ? [] : metered);
  }
  if (!read.ok) return refused(invalid(read.details), metered);
  if (!api.inFlight.enter(credential.keyId)) return refused(TOO_MANY_IN_FLIGHT, metered);
  const { kind, balance } = result;
  const of = { endpoint, credential, mode, named, balance, isReplay: kind === 'replay' };
  return { opened: { ...of, run: read.run, keyHeaders }, problem: null };
}

const TOO_MANY_IN_FLIGHT = rateLimited(
  'This key has too many calls in progress. Nothing was charged.',
  1_000,
);

function refused(problem: Problem, metered: HeaderList): Opening {
  return { opened: null, problem, metered };
}

function unpriced({ call, details }: NamedCall): NamedCall {
  return { call: { ...call, cost: 0 }, claims: false, details };
}

/** How an answer is sent: over REST as it is, to an agent in an envelope. */
export type Responder<T> = {
  /** Carries the answer. The charge is voided when it closes before the bytes were handed over. */
  readonly res: ServerResponse;
  /** Builds the whole answer, before anything is charged. */
  readonly build: (answered: Answered) => T;
  /** Sends the answer with the headers of its charge. */
  readonly deliver: (answer: T, metered: HeaderList) => void;
  readonly refuse: (problem: Problem, metered: HeaderList) => void | Promise<void>;
};

/** Does the work, builds the whole answer, charges, sends (rule 12.2). */
export async function finishCall<T>(api: Api, opened: OpenedCall, responder: Responder<T>): Promise<void> {
  try {
    const problem = await answer(api, opened, responder);
    if (problem === null) return;
    // A call that failed without a charge does not use up its Idempotency-Key.
    if (opened.named.claims) await release(api, opened.credential, opened.named.call);
    const metered = unchargedHeaders(opened.endpoint, opened.keyHeaders);
    await responder.refuse(problem, problem.status === 401 ? [] : metered);
  } finally {
    api.inFlight.leave(opened.credential.keyId);
  }
}

/** Null when the answer was sent, or when its client is gone. */
async function answer<T>(api: Api, opened: OpenedCall, responder: Responder<T>): Promise<Problem | null> {
  const { endpoint, credential, mode, keyHeaders } = opened;
  const { call: named, claims } = opened.named;
  const worked = await workOn(api, opened, responder.res);
  if (worked.problem !== null) return worked.problem;
  const built = responder.build(worked.answered);
  if (endpoint.credits === 0 || mode === 'test' || worked.isCutShort) {
    if (claims) await release(api, credential, named);
    responder.deliver(built, unchargedHeaders(endpoint, keyHeaders));
    return null;
  }
  const call = withAnswer(named, worked.answered);
  const deliver = (metered: HeaderList): void => responder.deliver(built, [...metered, ...keyHeaders]);
  const charged = await charge(api, { res: responder.res, credential, call }, deliver);
  if (charged === 'sent') return null;
  if (charged === 'unanswered') return unavailable();
  if (charged !== 'gone') return refusalProblem(charged, call.cost, api);
  if (claims) await release(api, credential, call);
  return null;
}

/** A request with a name is paid by the answer: only the same one is free again (rule 12.3). */
function withAnswer(call: Call, answered: Answered): Call {
  if (call.request === call.attemptId) return call;
  // The id of a brief is the hash of its content, without its times.
  const content = answered.kind === 'stored' ? answered.brief.briefId : JSON.stringify(answered.body);
  return { ...call, answer: sha256Hex(content).slice(0, 32) };
}

/** Gives up the claim of a call that failed without a charge; one that is not given up expires. */
async function release(api: Api, credential: Credential, call: Call): Promise<void> {
  await api.wallet.void(credential, call).catch(() => undefined);
}

/** The headers of an answer that was not charged; nothing about credits where the endpoint is free. */
function unchargedHeaders(endpoint: Priced, keyHeaders: HeaderList): HeaderList {
  return endpoint.credits === 0 ? keyHeaders : [...NOTHING_CHARGED, ...keyHeaders];
}

/**
 * Reads the key without any look-up: 401 without one, 429 when the address failed too often. A key that this
 * process has authenticated passes from any address.
 */
export async function admit(api: Api, req: IncomingMessage, res: ServerResponse) {
  const credential = api.readCredential(req);
  const presented = credential.kind === 'presented' ? credential.presented : null;
  if (presented !== null && api.accounts.known(presented) !== null) return { presented, problem: null };
  const refused = await api.authFailures.refuse(req, res, wellFormed(api, presented));
  if (refused !== null) return { presented: null, problem: refused };
  if (presented !== null) return { presented, problem: null };
  await api.authFailures.count(req, res);
  return { presented: null, problem: unauthorized(unsentKey(req, credential)) };
}

function wellFormed({ store }: Api, presented: Presented | null) {
  if (presented === null) return null;
  const { keyId } = presented;
  return { keyId, mayBeOurs: mayBeOurs(keyId, store.pepper) };
}
