import type { Outcome, ReadCall } from '../endpoint.ts';
import type { Priced } from '../idempotency.ts';
import { readTool } from './arguments.ts';
import type { Message } from './message.ts';

/** What is free: the handshake, the list, and what is refused before it is known to be a call. */
export const PROTOCOL: Priced = { name: 'mcp', credits: 0 };

/** What a message of the protocol itself works out to: the SDK answers it. */
export const NO_WORK = { kind: 'body', body: {} } as const satisfies Outcome<unknown>;

export type Asked = { readonly endpoint: Priced; readonly read: ReadCall };

/** A notification is never answered, so it never is a call of a tool. */
export function askedBy(message: Message | null): Asked {
  if (message?.method !== 'tools/call' || message.id === undefined) {
    return { endpoint: PROTOCOL, read: { ok: true, input: null, run: async () => NO_WORK } };
  }
  const { endpoint, read } = readTool(message.params);
  return { endpoint: endpoint ?? PROTOCOL, read };
}
