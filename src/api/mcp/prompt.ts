import { type GetPromptResult, ProtocolError } from '@modelcontextprotocol/server';
import { tickerParam } from '../endpoint/param.ts';
import { capitalChangeBrief } from '../endpoints/capital-change-brief.ts';
import { RPC_CODE } from './message.ts';
import { inSpelling, type Spelling } from './tool-name.ts';

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
