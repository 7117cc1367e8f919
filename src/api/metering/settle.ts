import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call, ChargeResult, Credential, Refusal } from '../../credits/wallet.ts';
import { callRateLimited, rateLimitHeaders } from '../admission/rate-limit.ts';
import type { HeaderList } from '../http/base-headers.ts';
import { isGone, whenConnectionEnds } from '../http/connection.ts';
import { notedOf } from '../http/noted.ts';
import { insufficient, type Problem, problem, unauthorized, unavailable } from '../http/problem.ts';
import type { Api } from '../open.ts';

/** A call before its charge: authenticated, with its whole answer built. */
type Settling = {
  /** Carries the answer. */
  readonly res: ServerResponse;
  readonly credential: Credential;
  readonly call: Call;
  /** The call was not opened before, so it is counted against the key's rate limit here. */
  readonly counts?: boolean;
};

/**
 * Charges and sends the answer, in this order and both or neither (rule 12.2): the socket must be open
 * before the charge, and the charge of an answer that was not sent is voided. `deliver` is called at
 * most once, with the headers of the charge. A refusal is returned, because callers treat it
 * differently. `unanswered`: Redis did not answer, nothing was charged.
 */
export async function charge(
  api: Api,
  settling: Settling,
  deliver: (metered: HeaderList) => void,
): Promise<Refusal | 'sent' | 'gone' | 'unanswered'> {
  const { res, credential, call } = settling;
  if (isGone(res)) return 'gone';
  const began = performance.now();
  const result = await chargeInTime(api, settling);
  api.meters.charge(performance.now() - began);
  if (result === null) return 'unanswered';
  if (result.kind !== 'charged' && result.kind !== 'replayed') return result;
  api.accounts.used(credential.keyId);
  const paid = result.kind === 'charged';
  if (paid) notedOf(res.req).credits = call.cost;
  if (paid && performance.now() - began > MAX_SILENCE_MS) {
    api.voids.add(credential, call);
    return 'unanswered';
  }
  if (paid) voidUnlessSent(api, settling);
  const rateLimit = settling.counts === true ? rateLimitHeaders(api.rateLimit, result.calls) : [];
  try {
    const low = lowBalanceHeaders(api, result.balance);
    deliver([...creditHeaders(paid ? call.cost : 0, result.balance, !paid), ...low, ...rateLimit]);
  } catch (error) {
    // The error answer that is sent instead may arrive, so its arrival does not settle the charge.
    if (paid) api.voids.add(credential, call);
    throw error;
  }
  return 'sent';
}

/** A process that stood still for longer may be taken for dead, and its charge voided: it sends no answer. */
// A suspended machine does not count: its answer may then go out free, in the customer's favour.
const MAX_SILENCE_MS = 20_000;

export const NOTHING_CHARGED: HeaderList = ['X-Credits-Charged', '0'];

/** Waits for the drainer, which was called at half of what may be at risk (rule 12.6). */
const LAG_PAUSES_MS = [20, 40, 80, 160, 320];

/** Charges; null when Redis did not answer. Only the first try counts against the rate. */
async function chargeInTime(api: Api, settling: Settling): Promise<ChargeResult | null> {
  const { credential, call, counts } = settling;
  let first: ChargeResult;
  try {
    first = await api.wallet.charge(credential, call, counts);
  } catch {
    return (await chargeAgain(api, settling)).result;
  }
  return first.kind === 'lagging' ? chargeWithRoom(api, settling, first) : first;
}

/**
 * An organisation that is faster than MongoDB takes its charges waits a moment. A wait that was not enough, or
 * whose client has gone, leaves the refusal.
 */
async function chargeWithRoom(
  api: Api,
  settling: Settling,
  first: ChargeResult,
): Promise<ChargeResult | null> {
  let last: Tried = { result: first, isVoided: false };
  for (const pauseMs of LAG_PAUSES_MS) {
    // The void of an attempt may come after a later charge of it, whose answer would be free.
    if (last.result?.kind !== 'lagging' || last.isVoided || isGone(settling.res)) break;
    await sleep(pauseMs);
    last = await chargeTwice(api, settling);
  }
  return last.result === null ? null : { ...last.result, calls: first.calls };
}

type Tried = {
  /** Null when Redis did not answer. */
  readonly result: ChargeResult | null;
  /** Whether a void of the attempt was queued. */
  readonly isVoided: boolean;
};

async function chargeTwice(api: Api, settling: Settling): Promise<Tried> {
  try {
    return { result: await api.wallet.charge(settling.credential, settling.call), isVoided: false };
  } catch {
    return chargeAgain(api, settling);
  }
}

/** Retries a charge that had no answer once, with the same attempt id. If Redis still does not answer, voids it. */
async function chargeAgain(api: Api, { credential, call }: Settling): Promise<Tried> {
  const result = await api.wallet.charge(credential, call).catch((error: unknown) => {
    api.logUnavailable(error);
    return null;
  });
  // The first try may have charged before the key was revoked. The call is refused, so it must not stand.
  const isVoided = result?.kind !== 'charged' && result?.kind !== 'replayed';
  if (isVoided) api.voids.add(credential, call);
  return { result, isVoided };
}

/**
 * `finish` on an open socket without an error means that the bytes were handed to the system. Node also
 * emits it when a socket is destroyed under a half-written answer, and before it destroys a socket whose
 * write failed. `writableFinished` is then true as well.
 */
function voidUnlessSent(api: Api, { res, credential, call }: Settling): void {
  const { socket } = res.req;
  const voidCharge = (): void => api.voids.add(credential, call, true);
  if (isGone(res)) {
    voidCharge();
    return;
  }
  const waiting = whenConnectionEnds(socket);
  waiting.add(voidCharge);
  // Before Node's own listener, which ends the socket of a `Connection: close`.
  res.prependListener('finish', () => {
    if (socket.destroyed || socket.errored !== null) return;
    waiting.delete(voidCharge);
    api.wallet.answered(call);
  });
}

const LOW: HeaderList = ['X-Credits-Low', 'true'];
const NOT_LOW: HeaderList = [];

/** The balance is below what the operator calls low. */
function lowBalanceHeaders({ creditsLow }: Pick<Api, 'creditsLow'>, balance: number): HeaderList {
  return balance < creditsLow ? LOW : NOT_LOW;
}

function creditHeaders(charged: number, balance: number, replayed: boolean): HeaderList {
  const headers = ['X-Credits-Charged', String(charged), 'X-Credits-Balance', String(balance)];
  return replayed ? [...headers, 'Idempotent-Replayed', 'true'] : headers;
}

/**
 * The answer to a refused call.
 * @param needed price of the call
 */
export function refusalProblem(
  refusal: Refusal,
  needed: number,
  { siteUrl, supportContact, rateLimit }: Pick<Api, 'siteUrl' | 'supportContact' | 'rateLimit'>,
): Problem {
  switch (refusal.kind) {
    case 'unauthorized':
      return unauthorized();
    case 'insufficient':
      return insufficient(needed, refusal.balance, { siteUrl, supportContact });
    case 'conflict':
      return problem('idempotency_conflict', 'A call with this Idempotency-Key is still in progress.');
    case 'exhausted':
      return problem('idempotency_exhausted', 'This Idempotency-Key has no replays left.');
    case 'mismatch':
      return problem('idempotency_mismatch', 'This Idempotency-Key was used for another call.');
    // A key that MongoDB does not have was refused before: Redis lost the record of this one again.
    case 'unknown_key':
    case 'fenced':
    case 'lagging':
    case 'malformed':
    case 'not_opened':
    case 'unconfirmed':
    case 'voided':
      return unavailable();
    case 'rate_limited':
      return callRateLimited(rateLimit, refusal.waitMs);
  }
}
