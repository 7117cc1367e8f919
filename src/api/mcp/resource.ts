import { type GetPromptResult, ProtocolError, type ReadResourceResult } from '@modelcontextprotocol/server';
import { tickerParam } from '../endpoint/param.ts';
import { brief, capitalChangeBrief } from '../endpoints/brief.ts';
import type { CallRequest } from '../metering/call.ts';
import type { Answered } from '../metering/idempotency.ts';
import { PROTOCOL, RPC_CODE } from './message.ts';
import { inSpelling, type Spelling } from './tool-name.ts';

const SCHEME = 'tidemark://briefs/';
const MIME_TYPE = 'application/json';

/** A brief as a resource. It is free, as its page is: whoever has the id had the brief. */
export const BRIEF_TEMPLATE = {
  uriTemplate: `${SCHEME}{brief_id}`,
  name: 'brief',
  title: brief.title,
  description: `${brief.summary}. Free, and never another one: a brief_id is the hash of these numbers.`,
  mimeType: MIME_TYPE,
};

/** The call that reads a resource: that of its endpoint, without a price. */
export function resourceCall(
  params: Readonly<Record<string, unknown>> = {},
): Pick<CallRequest, 'endpoint' | 'read'> {
  const { uri } = params;
  const id = typeof uri === 'string' && uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : null;
  const read = brief.read({ brief_id: id ?? '' });
  if (read.ok) return { endpoint: PROTOCOL, read };
  const details = [
    { param: 'uri', reason: `must be ${SCHEME} and a brief_id, such as tidemark://briefs/ccm_…` },
  ];
  return { endpoint: PROTOCOL, read: { ok: false, details } };
}

/** The exact bytes of the brief. */
export function contentsOf(answered: Answered, uri: string): ReadResourceResult {
  const text = answered.kind === 'stored' ? answered.brief.body.toString() : JSON.stringify(answered.body);
  return { contents: [{ uri, mimeType: MIME_TYPE, text }] };
}

/** How a model reads a brief aloud without saying more than it knows. */
export const BRIEF_PROMPT = {
  name: 'read_a_brief',
  title: 'Read a brief',
  description: `Who builds or leaves a position in a stock, with what is doubtful and how to prove it. Calls ${capitalChangeBrief.name}, which costs ${capitalChangeBrief.credits} credits.`,
  arguments: [{ name: 'ticker', description: 'Exchange ticker, such as AAPL or BRK.B', required: true }],
};

/** Throws -32602 for another prompt, and for what is no ticker. */
export function promptOf(
  name: string,
  args: Readonly<Record<string, string>>,
  spelling: Spelling,
): GetPromptResult {
  if (name !== BRIEF_PROMPT.name) {
    throw new ProtocolError(RPC_CODE.params, `There is one prompt: ${BRIEF_PROMPT.name}.`);
  }
  const ticker = tickerParam.safeParse(args['ticker']);
  if (!ticker.success) {
    throw new ProtocolError(RPC_CODE.params, 'ticker must be an exchange ticker such as AAPL or BRK.B.');
  }
  const tool = inSpelling(capitalChangeBrief.name, spelling);
  const text = `Call the tool ${tool} with {"ticker":"${ticker.data}"} once, and tell me what it says:

1. Begin with headline, word for word. Then outcome: "partial" or "uncertain" belongs in your first sentence; "no_data" or "refused" ends your answer with its reason.
2. Read institutional and insiders apart. Name at most five of institutional.changes, each with its manager, quarter_end and share_delta. A change whose quality.status is "uncertain" is doubtful: say so, with its reasons, and draw nothing from it.
3. When quality_artifacts.suppresses_direction is true, state no direction.
4. Repeat every sentence of coverage.limitations. 13F reports show positions of a past quarter end, filed up to 45 days later: they are neither today's positions nor advice.
5. End with the proof: brief_id, which is the hash of these numbers, and for what you named its evidence_ids. Anyone can read the brief again, free, as the resource tidemark://briefs/<brief_id>.

Use no figure that the brief does not have.`;
  return { description: BRIEF_PROMPT.title, messages: [{ role: 'user', content: { type: 'text', text } }] };
}
