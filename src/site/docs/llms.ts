import { EVENT_PROMISE } from '../../api/endpoints/event-shape.ts';
import { ENDPOINTS } from '../../api/endpoints/index.ts';
import { BRIEF_PROMPT, BRIEF_TEMPLATE } from '../../api/mcp/resource.ts';
import { priceOf } from '../../api/openapi/document.ts';
import { OF_VALUES, REASON_LINES } from './brief-tables.ts';

/** `/llms.txt` in the form of llmstxt.org: a title, a summary, prose, lists of links. */
export function llmsText(siteUrl: string): string {
  const tools = ENDPOINTS.map(
    (endpoint) =>
      `- \`${endpoint.name}\`: ${endpoint.summary}. \`GET /v1${endpoint.path}\`. ${priceOf(endpoint)}`,
  );
  const reasons = REASON_LINES.map(
    ({ reason, severity, effect, isOfValues, description }) =>
      `- \`${reason}\` (${severity}, ${effect}${isOfValues ? OF_VALUES : ''}): ${description}`,
  );
  return `# Tidemark

> Who is really building or leaving a position, with proof: SEC Form 13F and Form 4 filings as content-addressed capital-change briefs, fund holdings, insider trades and a stream of filing events, over REST and as agent tools.

- Base address: ${siteUrl}/v1. Agent tools (JSON-RPC over HTTP POST, MCP): ${siteUrl}/mcp; for hosts that refuse a dot in a name: ${siteUrl}/mcp?names=underscore.
- Authenticate only with the header \`Authorization: Bearer <API_KEY>\`. Keys are made at ${siteUrl}/connect.
- Answers are JSON with the payload in \`data\`. Share counts and cents are decimal strings.
- Only 2xx and 304 are charged. 1 credit is 1 US cent. 402 has \`needed\`, \`balance\` and \`topup_url\`.
- Errors: \`{ error, message, request_id, docs_url, details? }\`. Retry 429 and 503 after \`Retry-After\` seconds, and 500 and a lost connection after a pause.
- A brief's \`outcome\` is one of complete, partial, uncertain, no_data, refused. All are 200. Repeat what \`coverage.limitations\` says. When \`quality_artifacts.suppresses_direction\` is true, state no direction.
- Filings show quarter-end positions, up to 45 days old, and trades by filing date. Nothing is real-time, and nothing is advice.

The event stream: ${EVENT_PROMISE} There are no webhooks: to be alerted, call \`/events\` or \`/watchlist/poll\` with \`wait=50\` in a loop.

## Documents

- [Guide](${siteUrl}/docs): quickstart, credits, events, errors, idempotency, the tables that decide the words of a brief, quality reasons, ids and proof
- [OpenAPI 3.1](${siteUrl}/openapi.json): every parameter, bound, answer, header and error
- [Agent tools](${siteUrl}/mcp/catalog): the catalog with prices, input schemas and outlines of the results, free and without a key
- [API reference](${siteUrl}/docs/reference): every endpoint with its parameters, fields and errors, as one page

## Tools

${tools.join('\n')}

## Resource and prompt

- \`${BRIEF_TEMPLATE.uriTemplate}\` (MCP resource): a brief again by its id, free, exactly as it was answered
- \`${BRIEF_PROMPT.name}\` (MCP prompt, argument \`ticker\`): ${BRIEF_PROMPT.description}

## Quality reasons

The closed list, each with its severity and its effect on the observation. Clear: counted, and part of the direction unless it is a baseline or a trade without a plausible price. Uncertain: counted, left out of the direction. Uncertain for values only: stays in the direction, which is judged by shares. Excluded: excluded from all figures of a brief.

${reasons.join('\n')}
`;
}
