/** The id of a call as it is returned; null when none could be read. */
export type RpcId = string | number | null;

/** JSON-RPC 2.0, section 5.1; `refused` is for refusals of HTTP, with the reason in the status. */
export const RPC_CODE = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  refused: -32000,
} as const;

export type RpcError = { readonly code: number; readonly message: string; readonly data?: unknown };

/** A whole answer over HTTP; `text` is null without a body. */
export type Envelope = { readonly status: number; readonly text: string | null };

export function errorEnvelope(status: number, id: RpcId, error: RpcError): Envelope {
  return { status, text: JSON.stringify({ jsonrpc: '2.0', id, error }) };
}
