import type { IncomingMessage } from 'node:http';
import type { Call, Credential } from '../../credits/wallet.ts';
import { canonicalJson, sha256Hex } from '../../domain/canonical.ts';
import type { KeyMode } from '../../store/account/keys.ts';
import type { Endpoint, Outcome, ReadCall, Reading } from '../endpoint/endpoint.ts';
import type { HeaderList } from '../http/base-headers.ts';
import { attemptIdOf } from '../http/noted.ts';
import type { Detail } from '../http/problem.ts';

/** An endpoint, as far as charging and its deadline need it. */
export type Priced = Pick<Endpoint, 'name' | 'credits' | 'firstComputes'>;

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

export type NamedCall = {
  readonly call: Call;
  /** The client named the call, so it is claimed while in progress and charged once. */
  readonly claims: boolean;
  readonly details: readonly Detail[];
};

/** What a call is known by when it comes again. */
type Given = {
  readonly read: ReadCall;
  /** The argument of a tool in place of the header. */
  readonly key?: unknown;
  /** The JSON-RPC message and all else that a repeated tool call has in common, besides the input. */
  readonly repeat?: readonly unknown[];
};

/**
 * The call as it will be charged (rule 12.3). Without an Idempotency-Key the attempt id is the request.
 * With one, the request is the hash of the key, and the fingerprint is the hash of the valid input, so
 * another spelling of a ticker or an explicit default is the same call. Another call with the same key
 * has another fingerprint. A tool call without a key is named by its message and its input. Markers are kept
 * per organisation. An invalid call is never claimed.
 */
export function nameCall(endpoint: Priced, req: IncomingMessage, { read, key, repeat }: Given): NamedCall {
  const attemptId = attemptIdOf(req);
  const name = key ?? req.headers['idempotency-key'];
  const base = { cost: endpoint.credits, tool: endpoint.name, attemptId };
  const unnamed = { call: { ...base, request: attemptId, fingerprint: '' }, claims: false, details: [] };
  // Two such headers arrive joined by a comma: one printable key, and the same on each resend.
  if (name !== undefined && (typeof name !== 'string' || !PRINTABLE.test(name))) {
    const param = key === undefined ? 'Idempotency-Key' : 'idempotency_key';
    return { ...unnamed, details: [{ param, reason: 'must be 1 to 255 printable ASCII characters' }] };
  }
  const heldSeconds = heldSecondsOf(read);
  // Who waits for what is new does not ask for an answer again.
  const isRepeatable = repeat !== undefined && heldSeconds === 0;
  if (endpoint.credits === 0 || (name === undefined && !isRepeatable)) return unnamed;
  const fingerprint = sha256Hex(`${endpoint.name}\n${contentOf(read)}`).slice(0, 32);
  if (name === undefined) {
    const request = `j-${sha256Hex(JSON.stringify([...(repeat ?? []), fingerprint])).slice(0, 40)}`;
    return { ...unnamed, call: { ...base, request, fingerprint, isRepeatable: true } };
  }
  const request = `i-${sha256Hex(name).slice(0, 40)}`;
  const call = { ...base, request, fingerprint, heldSeconds };
  return { call, claims: true, details: [] };
}

/** Only what may wait for events is held (rule 11.22). */
function heldSecondsOf(read: ReadCall): number {
  const input = (read.ok ? read.input : null) as { readonly wait?: number } | null;
  return input?.wait ?? 0;
}

/** Canonical JSON has no big integers, but an amount of money is one. */
function contentOf(read: ReadCall): string {
  const text = JSON.stringify(read.ok ? read.input : null, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return canonicalJson(JSON.parse(text));
}

/** A call that may do its work. `finishCall` ends it. */
export type OpenedCall = {
  readonly endpoint: Priced;
  readonly credential: Credential;
  readonly mode: KeyMode;
  readonly named: NamedCall;
  readonly balance: number;
  /** Paid before under its Idempotency-Key: it asks for that answer again, so it waits for nothing new. */
  readonly isReplay: boolean;
  readonly run: (reading: Reading) => Promise<Outcome<unknown>>;
  /** What the answer says about the key: its rate limit, and whether it is a test key. */
  readonly keyHeaders: HeaderList;
};

/** The outcome of the work, without its expected errors. */
export type Answered = Exclude<Outcome<unknown>, { readonly kind: 'problem' }>;
