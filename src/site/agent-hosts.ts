import { type Html, html } from './html.ts';

/** By version, because it runs with the customer's key: npx would take whatever was published last. */
const MCP_REMOTE = 'mcp-remote@0.15.1';

/** How one host of agents is told about the tools: its own file and its own words. */
type AgentHost = Snippet & { readonly kind: 'shell' | 'json' | 'toml' };

/**
 * One entry for each host, in the format of its own documentation. All use the address that lists names without
 * dots, which several of them refuse. The key is never in the text where the host can read a variable.
 */
export function agentHosts(siteUrl: string): readonly AgentHost[] {
  const url = `${siteUrl}/mcp?names=underscore`;
  return [
    {
      kind: 'shell',
      title: 'Claude Code',
      about: 'One command in a shell',
      code: `claude mcp add --transport http tidemark \\\n  "${url}" \\\n  --header "Authorization: Bearer $TIDEMARK_KEY"`,
    },
    {
      kind: 'json',
      title: 'Claude Desktop',
      about: 'claude_desktop_config.json; it starts programs only, so mcp-remote calls us',
      code: json({ mcpServers: { tidemark: bridge(url) } }),
    },
    {
      kind: 'json',
      title: 'VS Code',
      about: '.vscode/mcp.json; it asks for the key once',
      code: json({
        inputs: [
          { type: 'promptString', id: 'tidemark-key', description: 'Tidemark API key', password: true },
        ],
        servers: { tidemark: { type: 'http', url, headers: bearer(VS_CODE_KEY) } },
      }),
    },
    {
      kind: 'json',
      title: 'Cursor',
      about: '~/.cursor/mcp.json',
      code: json({ mcpServers: { tidemark: { url, headers: bearer(CURSOR_KEY) } } }),
    },
    {
      kind: 'toml',
      title: 'Codex',
      about: '~/.codex/config.toml',
      code: `[mcp_servers.tidemark]\nurl = "${url}"\nbearer_token_env_var = "TIDEMARK_KEY"`,
    },
    {
      kind: 'shell',
      title: 'Plain HTTP',
      about: 'A tool without any client or session',
      code: `curl -s "${url}" \\
  -H "Authorization: Bearer $TIDEMARK_KEY" -H "Content-Type: application/json" \\
  -d '{"jsonrpc":"2.0","id":1,"method":"tools/call",
       "params":{"name":"capital_change_brief","arguments":{"ticker":"AAPL"}}}'`,
    },
  ];
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: the host puts the answer in
const VS_CODE_KEY = '${input:tidemark-key}';
// biome-ignore lint/suspicious/noTemplateCurlyInString: the host puts the variable in
const CURSOR_KEY = '${env:TIDEMARK_KEY}';

/** For hosts that sign in with OAuth only, as connectors of claude.ai and ChatGPT do. */
export const OAUTH_ONLY =
  'Hosts that can only sign in with OAuth (connectors of claude.ai and ChatGPT) cannot send a key, and there is no OAuth here. Use a host that sends a header, or one that starts programs: there `mcp-remote` sends it, as for Claude Desktop.';

/** The value has no blank after its colon: some hosts on Windows split arguments there. */
function bridge(url: string) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: mcp-remote puts the variable in
  const header = 'Authorization:${AUTH_HEADER}';
  return {
    command: 'npx',
    args: ['-y', MCP_REMOTE, url, '--header', header],
    env: { AUTH_HEADER: 'Bearer <API_KEY>' },
  };
}

function bearer(key: string) {
  return { Authorization: `Bearer ${key}` };
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

type Snippet = { readonly title: string; readonly about: string; readonly code: string };

/** How to call this site. The key is in a variable, never in the text. */
export function snippetsOf(siteUrl: string) {
  const brief = `${siteUrl}/v1/stocks/AAPL/capital-change-brief`;
  return {
    curl: { title: 'curl', about: 'The balance, free of charge', code: curlOf(`${siteUrl}/v1/credits`) },
    brief: { title: 'curl, a brief', about: 'Who is building or leaving AAPL', code: curlOf(brief) },
    typescript: { title: 'TypeScript', about: 'Node 20 or later, no package', code: typescriptOf(brief) },
    python: { title: 'Python', about: 'Python 3, standard library', code: pythonOf(brief) },
  } satisfies Record<string, Snippet>;
}

export function snippetView({ title, about, code }: Snippet): Html {
  return html`<figure class="snippet">
<figcaption><strong>${title}</strong> <span class="soft">${about}</span></figcaption>
<pre tabindex="0"><code>${code}</code></pre>
</figure>`;
}

/** The only snippet that contains a key, for the page that shows the key. */
export function shellLine(key: string): Html {
  return html`<pre tabindex="0"><code>export TIDEMARK_KEY=${key}</code></pre>`;
}

function curlOf(url: string): string {
  return `curl -s -H "Authorization: Bearer $TIDEMARK_KEY" \\\n  ${url}`;
}

function typescriptOf(url: string): string {
  return `const response = await fetch('${url}', {
  headers: { Authorization: \`Bearer \${process.env.TIDEMARK_KEY}\` },
});
if (!response.ok) throw new Error(await response.text());
const { data } = await response.json();
console.log(data.headline);`;
}

function pythonOf(url: string): string {
  return `import json, os, urllib.request

request = urllib.request.Request(
    "${url}",
    headers={"Authorization": f"Bearer {os.environ['TIDEMARK_KEY']}"},
)
with urllib.request.urlopen(request) as response:
    print(json.load(response)["data"]["headline"])`;
}
