import { html } from '../html.ts';
import { inline, listing, paragraphs } from './prose.ts';
import type { Section } from './section.ts';

export const quickstart: Section = {
  id: 'quickstart',
  title: 'Quickstart',
  body: ({ siteUrl }) => html`
<p>Get a key at <a href="/connect">/connect</a>: it takes a name and no card, and comes with free credits. Then ask one question, who is really building or leaving a position in a stock:</p>
${listing(curlSample(siteUrl), 'curl')}
<p>${inline('The answer is a capital-change brief. Read `headline` first, `coverage.limitations` second; `evidence` names the filings behind it. The cost stands in `X-Credits-Charged`.')}</p>
<h3 id="typescript">TypeScript</h3>
${listing(typescriptSample(siteUrl), 'TypeScript')}
${paragraphs(`Types for every answer come from the description: \`npx openapi-typescript ${siteUrl}/openapi.json -o tidemark.ts\`.`)}
<h3 id="python">Python</h3>
${listing(pythonSample(siteUrl), 'Python')}
<h3 id="mcp">An MCP client</h3>
${paragraphs('Every endpoint is an agent tool, too, with the same key and the same price. Put this where your client keeps its servers:')}
${listing(mcpSample(siteUrl), 'MCP client configuration')}
${paragraphs('Or call a tool by hand; no session is needed:')}
${listing(toolSample(siteUrl), 'curl')}
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

function mcpSample(siteUrl: string): string {
  return `{
  "mcpServers": {
    "tidemark": {
      "type": "http",
      "url": "${siteUrl}/mcp",
      "headers": { "Authorization": "Bearer tm_live_…" }
    }
  }
}`;
}

function toolSample(siteUrl: string): string {
  return `curl -s ${siteUrl}/mcp \\
  -H "Authorization: Bearer $TIDEMARK_KEY" -H "Content-Type: application/json" \\
  -d '{"jsonrpc":"2.0","id":1,"method":"tools/call",
       "params":{"name":"capital_change_brief","arguments":{"ticker":"AAPL"}}}'`;
}
