// The MCP Inspector on the command line, as its users call it.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';

const { TIDEMARK_URL, TIDEMARK_KEY } = process.env;
const PACKAGE = '@modelcontextprotocol/inspector-cli';

/** The answer to one method over Streamable HTTP. */
function inspect(method, ...args) {
  const target = ['--cli', `${TIDEMARK_URL}/mcp`, '--transport', 'http'];
  const header = ['--header', `Authorization: Bearer ${TIDEMARK_KEY}`];
  const answer = execFileSync(
    process.execPath,
    [`${PACKAGE}/build/cli.js`, ...target, '--method', method, ...args, ...header],
    // It looks for a package.json in the folder above to know its own.
    { cwd: 'node_modules', encoding: 'utf8', timeout: 60_000, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  return JSON.parse(answer);
}

const { tools } = inspect('tools/list');
const name = 'capital_change_brief';
assert(tools.some((tool) => tool.name === name));
assert(tools.every((tool) => tool.inputSchema.type === 'object'));

const called = inspect('tools/call', '--tool-name', name, '--tool-arg', 'ticker=AAPL');
assert(!called.isError);
const { data } = called.structuredContent;
assert.match(data.brief_id, /^ccm_[0-9a-f]{64}$/);

const missing = inspect('tools/call', '--tool-name', 'fund.get', '--tool-arg', 'cik=1');
assert(missing.isError);
assert.equal(missing.structuredContent.error, 'fund_not_found');

const { resourceTemplates } = inspect('resources/templates/list');
assert.deepEqual(
  resourceTemplates.map(({ uriTemplate }) => uriTemplate),
  ['tidemark://briefs/{brief_id}'],
);
const uri = resourceTemplates[0].uriTemplate.replace('{brief_id}', data.brief_id);
const { contents } = inspect('resources/read', '--uri', uri);
assert.equal(contents.length, 1);
assert.equal(contents[0].uri, uri);
assert.equal(JSON.parse(contents[0].text).data.brief_id, data.brief_id);

const { prompts } = inspect('prompts/list');
assert.deepEqual(
  prompts.map((prompt) => prompt.name),
  ['read_a_brief'],
);
const prompt = inspect('prompts/get', '--prompt-name', 'read_a_brief', '--prompt-args', 'ticker=AAPL');
assert.match(prompt.messages[0].content.text, /capital_change_brief.*"AAPL"/);
