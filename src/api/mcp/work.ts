import type { Api } from '../api.ts';
import type { Outcome } from '../endpoint/endpoint.ts';
import { problem } from '../http/problem.ts';
import { send } from '../http/reply.ts';
import { finishCall } from '../metering/call.ts';
import type { Priced } from '../metering/idempotency.ts';
import type { OpenedCall } from '../metering/opened-call.ts';
import { NO_WORK, PROTOCOL } from './call-request.ts';
import { type McpExchange, type Refusal, replyOf, sendRefusal } from './exchange.ts';
import type { ReadMessage } from './message.ts';
import { resultOf } from './result.ts';
import { type Envelope, errorEnvelope } from './rpc.ts';
import { answerBySdk } from './sdk.ts';

export type Work = {
  readonly endpoint: Priced;
  readonly message: ReadMessage;
  readonly opened: OpenedCall;
};

const NO_TOOL = problem('invalid_parameter', 'The protocol refused the message before it reached a tool.');

/** The work is done while the SDK builds the answer, so that the answer is whole before it is charged. */
export async function finish(
  api: Api,
  line: McpExchange,
  { endpoint, message, opened }: Work,
): Promise<void> {
  const { res, requestId } = line;
  const told: { refusal: Refusal | null } = { refusal: null };
  let envelope: Envelope = { status: 202, text: null };
  const run: OpenedCall['run'] = async (reading) => {
    const made = await answer(line, message, () => opened.run(reading));
    envelope = made.envelope;
    if (made.outcome !== null) return made.outcome;
    return endpoint === PROTOCOL ? NO_WORK : { kind: 'problem', problem: NO_TOOL };
  };
  await finishCall(
    api,
    endpoint,
    { ...opened, run },
    {
      res,
      build: () => replyOf(envelope),
      deliver: (reply, metered) => send(res, requestId, reply, metered),
      refuse: (refused, metered) => {
        told.refusal = { problem: refused, metered };
      },
    },
  );
  const { refusal } = told;
  if (refusal === null) return;
  if (refusal.problem === NO_TOOL) return send(res, requestId, replyOf(envelope), refusal.metered);
  await sendRefusal(line, message.ok ? message.message : null, refusal);
}

/** Null `outcome`: the message reached no tool. */
type Made = { readonly envelope: Envelope; readonly outcome: Outcome<unknown> | null };

/** What the work throws is thrown on: the core knows what to tell, and the SDK would tell its text. */
async function answer(line: McpExchange, read: ReadMessage, work: OpenedWork): Promise<Made> {
  if (!read.ok) {
    const error = { code: read.code, message: read.reason };
    return { envelope: errorEnvelope(400, read.id, error), outcome: null };
  }
  const done: { outcome: Outcome<unknown> | null; thrown: { error: unknown } | null } = {
    outcome: null,
    thrown: null,
  };
  const envelope = await answerBySdk(line.req, read.message, async () => {
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

type OpenedWork = () => Promise<Outcome<unknown>>;
