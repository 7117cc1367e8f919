import { html } from '../html.ts';
import { inline, listing, paragraphs, type Section, table } from './prose.ts';
export const proof: Section = {
  id: 'proof',
  title: 'Ids and proof',
  body: ({ siteUrl }) => html`
${paragraphs(
  'The id of a brief is a hash of its content. `claim_id`, `manifest_id` and `brief_id` are SHA-256 hashes over canonical JSON (RFC 8785), without `generated_at` and each `retrieved_at`. The same filings as of the same day therefore give the same id on any machine, in any order of arrival. The `ETag` is the `brief_id`. Ask again with `If-None-Match`, and an unchanged brief is a 304. `/v1/briefs/{brief_id}` answers the same bytes for good, for 1 credit; when the ticker shows another brief, the header `X-Superseded` is `true`.',
  'You can check a brief offline. The command of both clients recomputes every id from the JSON, and what the brief states twice: claims and changes, counts, totals, stances, evidence, figures, quarters and doubts of the headline. It names what differs. What a brief states once, such as the name of a manager, is bound by the id alone. A forger can compute new ids: only the id that you expect (`--id`), or the API, proves that the brief is ours:',
)}
${listing(
  `curl -s ${siteUrl}/v1/stocks/AAPL/capital-change-brief -H "Authorization: Bearer $TIDEMARK_KEY" > brief.json
npx --no tidemark-verify brief.json          # or: python -m tidemark_client brief.json`,
  'Checking a brief offline',
)}
${paragraphs(`The brief of a widely held stock shows its largest changes. \`/v1/briefs/{brief_id}/evidence\` lists every filing behind it. \`manifest.evidence_digest\` commits to that list, with the hash of the bytes and the parser of each filing, and the same command checks it when you give it the pages of that list after the brief: \`npx --no tidemark-verify brief.json evidence.json\`.`)}
<p>${inline('Each item of `evidence` has the address of its filing at the SEC, and in `raw_hash` the SHA-256 of the bytes that were read. Evidence ids are `sec:13f:<accession>` and `sec:form4:<accession>`.')}</p>
`,
};

export const sandbox: Section = {
  id: 'sandbox',
  title: 'Sandbox keys',
  body: ({ sandbox: briefs }) => html`
${paragraphs('Keys that begin with `tm_test_` read a small fixed data set of invented managers and companies. Their calls are never charged. Their answers never change and carry `X-Sandbox: true`. Use them in tests, and a `tm_live_` key for real filings. The sandbox has a ticker for each kind of brief:')}
${table(
  'Tickers of the sandbox',
  ['Ticker', 'outcome', 'institutional.stance', 'insiders.stance', 'corroboration'].map((title) => ({
    title,
  })),
  briefs.map((brief) => Object.values(brief).map((value) => html`<code>${value}</code>`)),
)}
`,
};

export const versioning: Section = {
  id: 'versioning',
  title: 'Versioning',
  body: () => html`
${paragraphs(
  'The path has the version, `/v1`. Within a version, fields may be added to answers and parameters to requests, so ignore fields that you do not know. What exists is not renamed or removed, and keeps its type and meaning.',
  'A brief names the rules that made it: `schema_version` for its shape, `manifest.algorithm_version` for its numbers and words, `parser_version` in each item of evidence. When the rules change, the ids change.',
)}
<p>The machine-readable description is <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1), in words in the <a href="/docs/reference">reference</a>; the agent tools are listed in <a href="/mcp/catalog">/mcp/catalog</a>; <a href="/llms.txt">/llms.txt</a> is a summary for language models.</p>
`,
};
