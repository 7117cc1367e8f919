import type { IncomingMessage, ServerResponse } from 'node:http';
import { shortened } from '../endpoint/text-input.ts';
import type { HeaderList } from '../http/base-headers.ts';
import { siteOf } from '../http/given.ts';
import type { Problem } from '../http/problem.ts';
import { lengthOf, problemBody, type Reply, send } from '../http/reply.ts';
import { type Envelope, errorEnvelope, type Message, RPC_CODE } from './message.ts';
import { failureOf } from './result.ts';
import { answerBySdk } from './sdk.ts';

/** One request to the agent tools. */
export type McpExchange = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
};

/** An error instead of an answer, with the headers of metering. */
type Refusal = { readonly problem: Problem; readonly metered: HeaderList };

/** What was refused: a message that could be read, and whether it calls a tool that exists. */
type Refused = { readonly message: Message | null; readonly isTool: boolean };

/** An answer of the protocol, ready to send. */
export function replyOf({ status, text }: Envelope, headers: HeaderList = []): Reply {
  const common: HeaderList = ['Cache-Control', 'private, no-store', ...headers];
  if (text === null) return { status, headers: [...common, 'Content-Length', '0'], body: null };
  const body = Buffer.from(text);
  return { status, headers: ['Content-Type', 'application/json', ...common, ...lengthOf(body)], body };
}

/**
 * Sends an error where a client of the protocol expects it: errors of HTTP as status with a JSON-RPC
 * error, an unknown tool as -32602, everything else as a failed result, which a model reads (rule 11.9).
 */
export async function sendRefusal(line: McpExchange, refused: Refused, { problem, metered }: Refusal) {
  const envelope = await envelopeOf(line, refused, problem);
  send(line.res, line.requestId, replyOf(envelope, problem.headers), metered);
}

/** Never sent: only a tool is called. */
const NO_CONTENTS = { contents: [] };

/** Key, rate limit and availability belong to the transport. 403, 413 and 415 belong to no call. */
const OF_HTTP = new Set([401, 403, 413, 415, 429, 503]);

async function envelopeOf(
  { req, res, requestId }: McpExchange,
  { message, isTool }: Refused,
  problem: Problem,
) {
  const { status } = problem;
  const id = message?.id ?? null;
  const data = problemBody(problem, { requestId, siteUrl: siteOf(res) });
  const error = (code: number) => ({ code, message: problem.message, data });
  if (OF_HTTP.has(status)) {
    return errorEnvelope(status, status === 401 ? null : id, error(RPC_CODE.refused));
  }
  if (message === null || id === null) return errorEnvelope(status, null, error(RPC_CODE.request));
  // The protocol's own code, and the address, for a resource that is not there.
  if (message.method === 'resources/read' && (status === 400 || status === 404)) {
    const uri = shortened(String(message.params?.['uri']));
    return errorEnvelope(200, id, { ...error(RPC_CODE.params), data: { ...data, uri } });
  }
  if (status === 400 && !isTool) return errorEnvelope(200, id, error(RPC_CODE.params));
  if (message.method !== 'tools/call') return errorEnvelope(status, id, error(RPC_CODE.internal));
  return answerBySdk(req, message, {
    callTool: async () => failureOf(data),
    readResource: async () => NO_CONTENTS,
  });
}
