import { HEADERS } from '../../api/openapi/headers.ts';
import { agentHosts, OAUTH_ONLY } from '../agent-hosts.ts';
import { html } from '../html.ts';
import { page } from '../page.ts';
import { credits, errors, idempotency, paging, polling } from './calling.ts';
import { clients, pandas } from './clients.ts';
import { limits } from './limits.ts';
import {
  chapter,
  HOW_TO_OPEN,
  inline,
  listing,
  paragraphs,
  type Section,
  type Setting,
  table,
} from './prose.ts';
import { reading, reasons } from './reading.ts';

const headers: Section = {
  id: 'headers',
  title: 'Headers',
  body: () => html`
${paragraphs('These response headers matter to a client. Scripts of any site may call with a key and read them (CORS, without cookies). Your own `X-Request-Id`, 8 to 64 letters, digits, `-` or `_`, is kept. Below `/v1` only GET is answered: HEAD and others are 405 with `Allow`.')}
${table(
  'Response headers',
  [{ title: 'Header' }, { title: 'Meaning' }, { title: 'Example' }],
  Object.entries(HEADERS).map(([name, { description, example }]) => [
    html`<code>${name}</code>`,
    inline(description),
    html`<code>${example}</code>`,
  ]),
)}
`,
};

const proof: Section = {
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

const sandbox: Section = {
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

const versioning: Section = {
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

const quickstart: Section = {
  id: 'quickstart',
  title: 'Quickstart',
  body: ({ siteUrl }) => html`
<p>Get a key at <a href="/connect">/connect</a>. You need a name and no card, and the first credits are free. The first key opens the account; in programs and agents use a key for calls, which you make there. Then ask who is really building or leaving a position in a stock:</p>
${listing(curlSample(siteUrl), 'A brief with curl')}
<p>${inline('The answer is a capital-change brief. Read `headline` first and `coverage.limitations` second. `evidence` names the filings behind it. The header `X-Credits-Charged` has the price.')}</p>
<h3 id="typescript">TypeScript</h3>
${listing(typescriptSample(siteUrl), 'A brief with TypeScript')}
${paragraphs(`Types for every answer can be generated from the OpenAPI description: \`npx openapi-typescript ${siteUrl}/openapi.json -o tidemark.ts\`.`)}
<h3 id="python">Python</h3>
${listing(pythonSample(siteUrl), 'A brief with Python')}
<h3 id="agents">An agent</h3>
${paragraphs('Every endpoint is also an agent tool, with the same key and the same price. Add it in the way of your host:')}
${agentHosts(siteUrl).map(
  ({ title, about, code }) => html`<h4>${title}</h4>
<p class="soft">${about}</p>
${listing(code, title)}
`,
)}
${paragraphs(OAUTH_ONLY, 'The address with `names=underscore` lists the names of the tools without dots, because many hosts refuse a dot; `/mcp` lists them as in the table below. Both spellings are called at both. A list has ten rows unless `limit` says otherwise, the event stream fifty, and `text: "json"` brings the whole answer as text.')}
`,
};

function curlSample(siteUrl: string): string {
  return `export TIDEMARK_KEY=tm_live_…
curl -s ${siteUrl}/v1/stocks/AAPL/capital-change-brief \\
  -H "Authorization: Bearer $TIDEMARK_KEY"`;
}

function typescriptSample(siteUrl: string): string {
  return `const answer = await fetch("${siteUrl}/v1/stocks/AAPL/capital-change-brief", {
  headers: { Authorization: \`Bearer \${process.env.TIDEMARK_KEY}\` },
});
const body = await answer.json();
if (!answer.ok) throw new Error(\`\${body.error}: \${body.message} (\${body.request_id})\`);
console.log(body.data.headline);`;
}

function pythonSample(siteUrl: string): string {
  return `import os, requests

answer = requests.get(
    "${siteUrl}/v1/stocks/AAPL/capital-change-brief",
    headers={"Authorization": f"Bearer {os.environ['TIDEMARK_KEY']}"},
    timeout=30,
)
answer.raise_for_status()
print(answer.json()["data"]["headline"])`;
}

/** In the order of the page. */
const SECTIONS: readonly Section[] = [
  quickstart,
  credits,
  clients,
  pandas,
  polling,
  paging,
  errors,
  idempotency,
  limits,
  headers,
  reading,
  reasons,
  proof,
  sandbox,
  versioning,
];

/** The guide as one page. */
export function guidePage(setting: Setting): string {
  const contents = SECTIONS.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`);
  const bodies = SECTIONS.map(({ id, title, body }) => chapter({ id, title, level: 2, body: body(setting) }));
  return page({
    title: 'Docs',
    description: 'How to call Tidemark: keys, credits, events, errors, proof.',
    path: '/docs',
    scripted: true,
    body: html`<div class="guide">
<nav class="guide-contents" aria-label="On this page">
<ul>${contents}</ul>
<p><a href="/docs/reference">API reference</a></p>
</nav>
<article id="all">
<h1>From a key to proof</h1>
<p class="lead">Tidemark reads Form 13F and Form 4 filings. It answers with what changed, what is not known, and the filings that prove it. All of it is plain HTTP and JSON.</p>
${HOW_TO_OPEN}
${bodies}
</article>
</div>`,
  });
}
