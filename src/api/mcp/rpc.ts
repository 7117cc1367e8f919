/** A call's id as it goes back; null where none could be read. */
export type RpcId = string | number | null;

/** JSON-RPC 2.0, section 5.1; `refused` is for what HTTP refuses, with the reason in its status. */
export const RPC_CODE = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  refused: -32000,
} as const;

export type RpcError = { readonly code: number; readonly message: string; readonly data?: unknown };

/** One answer over HTTP, whole; `text` is null where there is no body. */
export type Envelope = { readonly status: number; readonly text: string | null };

export function errorEnvelope(status: number, id: RpcId, error: RpcError): Envelope {
  return { status, text: JSON.stringify({ jsonrpc: '2.0', id, error }) };
}
