import { agentHosts, OAUTH_ONLY } from '../agent-hosts.ts';
import { html } from '../html.ts';
import { inline, listing, paragraphs, type Section } from './prose.ts';
export const quickstart: Section = {
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
