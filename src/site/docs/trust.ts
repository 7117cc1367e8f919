import { html } from '../html.ts';
import { inline, listing, paragraphs, table } from './prose.ts';
import type { Section } from './section.ts';

export const proof: Section = {
  id: 'proof',
  title: 'Ids and proof',
  body: ({ siteUrl }) => html`
${paragraphs(
  'A brief names itself by its content. `claim_id`, `manifest_id` and `brief_id` are SHA-256 hashes over canonical JSON (RFC 8785); `generated_at` and each `retrieved_at` are left out, so the same filings as of the same day give the same id on any machine, in any order of arrival. The `ETag` is the `brief_id`: ask again with `If-None-Match`, and an unchanged brief is a 304.',
  'Check one without us. The command recomputes every id from the JSON, offline, and names what differs:',
)}
${listing(
  `curl -s ${siteUrl}/v1/stocks/AAPL/capital-change-brief -H "Authorization: Bearer $TIDEMARK_KEY" > brief.json
npx tidemark brief verify brief.json`,
  'shell',
)}
<p>${inline('To go further back, each item of `evidence` has the address of its filing at the SEC and `raw_hash`, the SHA-256 of the bytes that were read. Evidence ids are `sec:13f:<accession>` and `sec:form4:<accession>`.')}</p>
`,
};

export const sandbox: Section = {
  id: 'sandbox',
  title: 'Sandbox keys',
  body: ({ sandbox: briefs }) => html`
${paragraphs('Keys that begin with `tm_test_` call a small fixed data set of invented managers and companies. They are never charged, their answers never change, and `X-Sandbox: true` marks them. Use them in tests; use a `tm_live_` key for the filings. The sandbox has a ticker for each kind of brief:')}
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
  'The path carries the version, `/v1`. Within it, members may be added to answers and parameters to requests: read answers tolerantly. What exists is not renamed, removed or given another type or meaning.',
  'A brief says which rules made it: `schema_version` for its shape, `manifest.algorithm_version` for its numbers, `parser_version` in each item of evidence. When the rules change, ids change with them.',
)}
<p>The machine-readable description is <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1), rendered as the <a href="/docs/reference">reference</a>; the agent tools are listed in <a href="/mcp/catalog">/mcp/catalog</a>; <a href="/llms.txt">/llms.txt</a> is a summary for language models.</p>
`,
};
