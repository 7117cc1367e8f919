import type { ServerResponse } from 'node:http';
import type { Call, ChargeResult, Credential, Refusal } from '../../credits/wallet.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import type { Api } from '../api.ts';
import type { HeaderList } from '../http/base-headers.ts';
import { isGone, whenConnectionEnds } from '../http/connection.ts';

/** A call on its way out: authenticated, its whole answer built. */
export type Settling = {
  /** Carries the answer. */
  readonly res: ServerResponse;
  readonly credential: Credential;
  readonly call: Call;
  /** The call was not opened before: it is counted against the key's pace here. */
  readonly counts?: boolean;
};

/**
 * Charges and hands the answer over, in this order and both or none (rule 12.2): the socket must
 * be open before the charge, and a charge whose answer did not leave is taken back. `deliver` is
 * called at most once, with the headers of the charge. A refusal is returned, because what to do
 * with it differs between the callers; `unanswered`: nothing was charged, Redis did not answer.
 */
export async function charge(
  api: Api,
  settling: Settling,
  deliver: (metered: HeaderList) => void,
): Promise<Refusal | 'sent' | 'gone' | 'unanswered'> {
  const { res, credential, call } = settling;
  if (isGone(res)) return 'gone';
  const result = await chargeTwice(api, settling);
  if (result === null) return 'unanswered';
  if (result.kind !== 'charged' && result.kind !== 'replayed') return result;
  api.accounts.used(credential.keyId);
  const paid = result.kind === 'charged';
  if (paid) voidUnlessSent(api, settling);
  const paced = settling.counts === true ? rateLimitHeaders(api.rateLimit, result.calls) : [];
  try {
    deliver([...creditHeaders(paid ? call.cost : 0, result.balance, !paid), ...paced]);
  } catch (error) {
    // What is sent in its place may well arrive, so its arrival does not settle the charge.
    if (paid) api.voids.add(credential, call);
    throw error;
  }
  return 'sent';
}

export const NOTHING_CHARGED: HeaderList = ['X-Credits-Charged', '0'];

/** The same attempt once more when no reply came; then it is voided and the call is unavailable. */
async function chargeTwice(api: Api, { credential, call, counts }: Settling): Promise<ChargeResult | null> {
  try {
    return await api.wallet.charge(credential, call, counts);
  } catch {
    try {
      const again = await api.wallet.charge(credential, call);
      // The first may have charged before the key was revoked: refused now, it must not stand.
      if (again.kind !== 'charged' && again.kind !== 'replayed') api.voids.add(credential, call);
      return again;
    } catch (error) {
      api.logUnavailable(error);
      api.voids.add(credential, call);
      return null;
    }
  }
}

/**
 * `finish` on an open, unbroken socket means that the bytes were handed to the system. Node also
 * emits it when a socket is destroyed under a half-written answer, and before it destroys one whose
 * write failed; `writableFinished` is then true as well.
 */
function voidUnlessSent(api: Api, { res, credential, call }: Settling): void {
  const { socket } = res.req;
  const take = (): void => api.voids.add(credential, call);
  if (isGone(res)) {
    take();
    return;
  }
  const waiting = whenConnectionEnds(socket);
  waiting.add(take);
  // Ahead of Node's own listener, which ends the socket of a `Connection: close`.
  res.prependListener('finish', () => {
    if (!socket.destroyed && socket.errored === null) waiting.delete(take);
  });
}

function creditHeaders(charged: number, balance: number, replayed: boolean): HeaderList {
  const headers = ['X-Credits-Charged', String(charged), 'X-Credits-Balance', String(balance)];
  return replayed ? [...headers, 'Idempotent-Replayed', 'true'] : headers;
}
