import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const LOG = new URL('log.ts', import.meta.url).href;
const HOOKS = new URL('typescript.mjs', import.meta.url).href;

/** What a process writes that logs 3 lines of a call and one of its own, and then ends. */
function linesBefore(end: string): unknown[] {
  const code = `
    import { createAccessLog, createLogger } from '${LOG}';
    const [access, log] = [createAccessLog('info'), createLogger('info', 'a')];
    for (const call of [1, 2, 3]) access.info({ call });
    log.error('last');
    ${end}`;
  const args = ['--import', HOOKS, '--input-type=module', '--eval', code];
  const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return stderr.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
}

test.each([
  ['by itself', ''],
  ['by process.exit', 'process.exit(3);'],
  ['by an error that nobody caught', "throw new Error('oh');"],
])('no line is lost when the process ends %s', (_, end) => {
  const lines = linesBefore(end);
  expect(lines).toHaveLength(4);
  expect(lines[2]).toMatchObject({ call: 3 });
  expect(lines[3]).toMatchObject({ name: 'a', msg: 'last' });
});
