import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Call } from '../../credits/wallet.ts';
import { canonicalJson } from '../../domain/canonical.ts';
import type { Endpoint, ReadCall } from '../endpoint/endpoint.ts';
import type { Detail } from '../http/problem.ts';
import { nextId } from '../http/request-id.ts';

/** What is asked for, as far as charging goes. */
export type Priced = Pick<Endpoint, 'name' | 'credits'>;

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

export type NamedCall = {
  readonly call: Call;
  /** The client named the call, so that it is claimed while in flight and charged once. */
  readonly claims: boolean;
  readonly details: readonly Detail[];
};

/**
 * The call as it will be charged (rule 12.3). Without an Idempotency-Key the attempt stands for itself. With
 * one, the request is the hash of the key, and the fingerprint is the hash of what is asked, so
 * that the same key with another call is told apart. It is taken from the input as it was
 * understood: another spelling of a ticker or a default written out is the same call. Markers are
 * kept per organisation. A call that was not understood is never claimed.
 */
export function nameCall(endpoint: Priced, req: IncomingMessage, read: ReadCall): NamedCall {
  const attemptId = nextId();
  const key = req.headers['idempotency-key'];
  const base = { cost: endpoint.credits, tool: endpoint.name, attemptId };
  if (key === undefined || endpoint.credits === 0) {
    return { call: { ...base, request: attemptId, fingerprint: '' }, claims: false, details: [] };
  }
  // Two such headers arrive joined by a comma: one printable key, and the same on each resend.
  if (typeof key !== 'string' || !PRINTABLE.test(key)) {
    const details = [{ param: 'Idempotency-Key', reason: 'must be 1 to 255 printable ASCII characters' }];
    return { call: { ...base, request: attemptId, fingerprint: '' }, claims: false, details };
  }
  const request = `i-${sha256(key).slice(0, 40)}`;
  const fingerprint = sha256(`${endpoint.name}\n${spelled(read)}`).slice(0, 32);
  return { call: { ...base, request, fingerprint }, claims: true, details: [] };
}

/** Canonical JSON knows no big integers, which an amount of money is. */
function spelled(read: ReadCall): string {
  const text = JSON.stringify(read.ok ? read.input : null, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return canonicalJson(JSON.parse(text));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
