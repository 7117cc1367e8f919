import type { Api } from '../api.ts';
import type { Outcome } from '../endpoint/endpoint.ts';
import { problem } from '../http/problem.ts';
import { send } from '../http/reply.ts';
import { finishCall, type OpenedCall } from '../metering/call.ts';
import { NO_WORK, PROTOCOL } from './call-request.ts';
import { type McpExchange, type Refusal, replyOf, sendRefusal } from './exchange.ts';
import type { ReadMessage } from './message.ts';
import { resultOf } from './result.ts';
import { type Envelope, errorEnvelope } from './rpc.ts';
import { answerBySdk } from './sdk.ts';

const NO_TOOL = problem('invalid_parameter', 'The protocol refused the message before it reached a tool.');

/** The work is done while the SDK builds the answer, so the answer is complete before it is charged. */
export async function finish(
  api: Api,
  exchange: McpExchange,
  message: ReadMessage,
  opened: OpenedCall,
): Promise<void> {
  const { res, requestId } = exchange;
  const sent: { refusal: Refusal | null } = { refusal: null };
  let envelope: Envelope = { status: 202, text: null };
  const run: OpenedCall['run'] = async (reading) => {
    const made = await answer(exchange, message, () => opened.run(reading));
    envelope = made.envelope;
    if (made.outcome !== null) return made.outcome;
    return opened.endpoint === PROTOCOL ? NO_WORK : { kind: 'problem', problem: NO_TOOL };
  };
  await finishCall(
    api,
    { ...opened, run },
    {
      res,
      build: () => replyOf(envelope),
      deliver: (reply, metered) => send(res, requestId, reply, metered),
      refuse: (refused, metered) => {
        sent.refusal = { problem: refused, metered };
      },
    },
  );
  const { refusal } = sent;
  if (refusal === null) return;
  if (refusal.problem === NO_TOOL) return send(res, requestId, replyOf(envelope), refusal.metered);
  await sendRefusal(exchange, message.ok ? message.message : null, refusal);
}

/** Null `outcome`: the message reached no tool. */
type Made = { readonly envelope: Envelope; readonly outcome: Outcome<unknown> | null };

/** Rethrows what the work throws: the SDK would send its text, but metering knows the public answer. */
async function answer(
  { req }: McpExchange,
  read: ReadMessage,
  work: () => Promise<Outcome<unknown>>,
): Promise<Made> {
  if (!read.ok) {
    const error = { code: read.code, message: read.reason };
    return { envelope: errorEnvelope(400, read.id, error), outcome: null };
  }
  const done: { outcome: Outcome<unknown> | null; thrown: { error: unknown } | null } = {
    outcome: null,
    thrown: null,
  };
  const envelope = await answerBySdk(req, read.message, async () => {
    try {
      const outcome = await work();
      done.outcome = outcome;
      return resultOf(outcome.kind === 'problem' ? NO_WORK : outcome);
    } catch (error) {
      done.thrown = { error };
      return resultOf(NO_WORK);
    }
  });
  if (done.thrown !== null) throw done.thrown.error;
  return { envelope, outcome: done.outcome };
}
