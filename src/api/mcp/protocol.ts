import type { Outcome } from '../endpoint/endpoint.ts';
import type { Priced } from '../metering/idempotency.ts';

/** The free part: the handshake, lists, prompts, resources, and messages refused before they are known to be a call. */
export const PROTOCOL: Priced = { name: 'mcp', credits: 0 };

/** The outcome of a protocol message: the SDK answers it. */
export const NO_WORK = { kind: 'body', body: {} } as const satisfies Outcome<unknown>;
