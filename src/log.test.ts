import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const LOG = new URL('log.ts', import.meta.url).href;
const HOOKS = new URL('typescript.mjs', import.meta.url).href;

/** What a process writes that runs this code with a log of calls and one for operators. */
function linesOf(work: string): unknown[] {
  const code = `
    import { createAccessLog, createLogger } from '${LOG}';
    const [access, log] = [createAccessLog('info'), createLogger('info', 'a')];
    ${work}`;
  const args = ['--import', HOOKS, '--input-type=module', '--eval', code];
  const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return stderr.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
}

test.each([
  ['by itself', ''],
  ['by process.exit', 'process.exit(3);'],
  ['by an error that nobody caught', "throw new Error('oh');"],
])('no line is lost when the process ends %s', (_, end) => {
  const lines = linesOf(`log.error('first'); for (const call of [1, 2, 3]) access.info({ call }); ${end}`);
  expect(lines).toMatchObject([{ name: 'a', msg: 'first' }, { call: 1 }, { call: 2 }, { call: 3 }]);
});

test.each(['SIGKILL', 'SIGTERM'])('a line for operators is written before %s ends the process', (signal) => {
  const lines = linesOf(
    `access.info({ call: 1 }); log.error('last'); process.kill(process.pid, '${signal}');`,
  );
  expect(lines).toMatchObject([{ call: 1 }, { name: 'a', msg: 'last' }]);
});

test('lines of calls are written together, and before long when no more come', () => {
  const work = `
    const { setTimeout: sleep } = await import('node:timers/promises');
    for (const call of [1, 2, 3]) access.info({ call });
    await sleep(500);
    process.kill(process.pid, 'SIGKILL');`;
  expect(linesOf(work)).toMatchObject([{ call: 1 }, { call: 2 }, { call: 3 }]);
});

test('no write is longer than what the system keeps in one piece, and each ends with a line', () => {
  const work = `
    const fs = (await import('node:fs')).default;
    const { syncBuiltinESMExports } = await import('node:module');
    const [writes, write] = [[], fs.writeSync];
    fs.writeSync = (fd, text, ...more) => {
      if (fd === 2) writes.push([Buffer.byteLength(text), String(text).endsWith('\\n')]);
      return write(fd, text, ...more);
    };
    syncBuiltinESMExports();
    for (let call = 0; call < 200; call += 1) access.info({ call, route: 'x'.repeat(call % 2 === 0 ? 1_800 : 2_600) });
    log.error('last');
    log.error({ writes }, 'writes');`;
  const lines = linesOf(work);
  expect(lines).toHaveLength(202);
  const { writes } = lines.at(-1) as { writes: [number, boolean][] };
  expect(writes.length).toBeGreaterThan(10);
  expect(writes.filter(([bytes, isWhole]) => bytes > 4_096 || !isWhole)).toEqual([]);
});
