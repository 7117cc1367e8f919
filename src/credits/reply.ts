import { AppError } from '../errors.ts';

/** What every credits script returns. `callsOrWaitMs` is null where the script returns -1 or nothing. */
export type ScriptReply<Kind extends string> = {
  readonly kind: Kind;
  readonly balance: number;
  readonly callsOrWaitMs: number | null;
};

/**
 * Reads `{ code, balance, calls left or wait }` by the codes that the script documents. Throws `script_reply` for
 * others.
 */
export function readReply<Kind extends string>(
  reply: unknown,
  kinds: Readonly<Record<string, Kind>>,
): ScriptReply<Kind> {
  const [code, credits, callsOrWait = -1]: unknown[] = Array.isArray(reply) ? reply : [];
  const kind = Object.hasOwn(kinds, String(code)) ? kinds[String(code)] : undefined;
  const balance = Number(credits);
  const callsOrWaitMs = Number(callsOrWait);
  if (kind !== undefined && Number.isSafeInteger(balance) && Number.isSafeInteger(callsOrWaitMs)) {
    return { kind, balance, callsOrWaitMs: callsOrWaitMs < 0 ? null : callsOrWaitMs };
  }
  throw new AppError('script_reply', `A credits script returned ${JSON.stringify(reply)}`);
}
