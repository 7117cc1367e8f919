import type { Snippet } from './snippets.ts';

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
