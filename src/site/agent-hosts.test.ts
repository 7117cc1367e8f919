import { expect, test } from 'vitest';
import { loadConfig } from '../config.ts';
import { agentHosts } from './agent-hosts.ts';
import { guidePage } from './docs/guide.ts';
import { html, markupOf } from './html.ts';
import { landingPage } from './landing.ts';

const SITE = 'https://tidemark.example';
const URL_OF_TOOLS = `${SITE}/mcp?names=underscore`;
const HOSTS = agentHosts(SITE);

function codeOf(title: string): string {
  return HOSTS.find((host) => host.title === title)?.code ?? '';
}

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

test('Claude Code takes transport, name, address and header in one command', () => {
  const words = codeOf('Claude Code')
    .replaceAll('\\\n', '')
    .match(/"[^"]*"|\S+/g)
    ?.map((word) => word.replaceAll('"', ''));
  expect(words).toEqual(
    ['claude', 'mcp', 'add', '--transport', 'http', 'tidemark', URL_OF_TOOLS].concat([
      '--header',
      'Authorization: Bearer $TIDEMARK_KEY',
    ]),
  );
});

const PINNED = expect.stringMatching(/^mcp-remote@\d+\.\d+\.\d+$/);
// biome-ignore lint/suspicious/noTemplateCurlyInString: mcp-remote puts the variable in
const HEADER = 'Authorization:${AUTH_HEADER}';

test('Claude Desktop knows only programs: mcp-remote gets the address and the header', () => {
  expect(JSON.parse(codeOf('Claude Desktop'))).toEqual({
    mcpServers: {
      tidemark: {
        command: 'npx',
        args: ['-y', PINNED, URL_OF_TOOLS, '--header', HEADER],
        env: { AUTH_HEADER: 'Bearer <API_KEY>' },
      },
    },
  });
});

test('VS Code reads `servers` and asks for inputs', () => {
  const { servers, inputs } = JSON.parse(codeOf('VS Code'));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the host puts the input in
  const headers = bearer('${input:tidemark-key}');
  expect(servers).toEqual({ tidemark: { type: 'http', url: URL_OF_TOOLS, headers } });
  expect(inputs).toMatchObject([{ id: 'tidemark-key', type: 'promptString', password: true }]);
});

test('Cursor reads `mcpServers` with variables of the environment', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the host puts the variable in
  const headers = bearer('${env:TIDEMARK_KEY}');
  expect(JSON.parse(codeOf('Cursor'))).toEqual({ mcpServers: { tidemark: { url: URL_OF_TOOLS, headers } } });
});

test('Codex reads TOML: one table of strings, with the name of the variable', () => {
  const [table, ...lines] = codeOf('Codex').split('\n');
  expect(table).toBe('[mcp_servers.tidemark]');
  const pairs = lines.map((line) => /^(\w+) = ("(?:[^"\\]|\\.)*")$/.exec(line)?.slice(1) ?? []);
  expect(Object.fromEntries(pairs.map(([name, text = '']) => [name, JSON.parse(text)]))).toEqual({
    url: URL_OF_TOOLS,
    bearer_token_env_var: 'TIDEMARK_KEY',
  });
});

test('plain HTTP is one tools/call', () => {
  const body = /-d '(.*)'$/s.exec(codeOf('Plain HTTP'))?.[1] ?? '';
  expect(JSON.parse(body)).toMatchObject({ method: 'tools/call', params: { name: 'capital_change_brief' } });
  expect(codeOf('Plain HTTP')).toContain(`"${URL_OF_TOOLS}"`);
});

test('the guide has every host and the landing page the first, from this one source', () => {
  const shown = (code: string): string => markupOf(html`${code}`);
  const guide = guidePage({ ...loadConfig({}), siteUrl: SITE, sandbox: [] });
  for (const { code } of HOSTS) expect(guide).toContain(shown(code));
  expect(landingPage(SITE)).toContain(shown(codeOf('Claude Code')));
});
