import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HeaderList } from '../base-headers.ts';
import type { Problem } from '../problem.ts';
import { lengthOf, problemBody, type Reply, send } from '../reply.ts';
import type { Message } from './message.ts';
import { failureOf } from './result.ts';
import { type Envelope, errorEnvelope, RPC_CODE } from './rpc.ts';
import { answerBySdk, badParams } from './sdk.ts';

/** One request to the agent tools. */
export type Line = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
};

/** What is said in place of an answer; `metered` as the core of metering has it. */
export type Refusal = { readonly problem: Problem; readonly metered: HeaderList };

/** An answer of the protocol, ready to send. */
export function replyOf({ status, text }: Envelope, headers: HeaderList = []): Reply {
  const common: HeaderList = ['Cache-Control', 'private, no-store', ...headers];
  if (text === null) return { status, headers: [...common, 'Content-Length', '0'], body: null };
  const body = Buffer.from(text);
  return { status, headers: ['Content-Type', 'application/json', ...common, ...lengthOf(body)], body };
}

/**
 * Says what is wrong where a client of the protocol looks for it: what HTTP decides in the status with
 * a JSON-RPC error, bad arguments as -32602, everything else as a failed result (contract 6).
 */
export async function tell(
  line: Line,
  message: Message | null,
  { problem, metered }: Refusal,
): Promise<void> {
  const envelope = await envelopeOf(line, message, problem);
  send(line.res, line.requestId, replyOf(envelope, problem.headers), metered);
}

/** Key, pace and absence are the transport's, and 403, 413 and 415 are of no call at all. */
const OF_HTTP = new Set([401, 403, 413, 415, 429, 503]);

async function envelopeOf(
  { req, requestId }: Line,
  message: Message | null,
  problem: Problem,
): Promise<Envelope> {
  const { status } = problem;
  const body = problemBody(problem, requestId);
  if (message?.id === undefined || OF_HTTP.has(status)) {
    const id = status === 401 ? null : (message?.id ?? null);
    const code = status === 400 ? RPC_CODE.request : RPC_CODE.refused;
    return errorEnvelope(status, id, { code, message: problem.message, data: body });
  }
  return answerBySdk(req, message, async () => {
    if (status === 400) throw badParams(problem.message, body);
    return failureOf(body);
  });
}
