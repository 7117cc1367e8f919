import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../packages/embedded/port.ts';
import { loadConfig } from '../../src/config.ts';
import { UsageError } from '../../src/errors.ts';
import { DEFAULT_AS_OF, readOptions } from './options.ts';
import { choosePorts } from './setting.ts';

describe('the as-of date of the demo', () => {
  test('is the option, else the environment, else the default for the bundled filings', () => {
    expect(readOptions(['--as-of', '2020-03-31'], { TIDEMARK_AS_OF: '2019-12-31' })?.asOf).toBe('2020-03-31');
    expect(readOptions([], { TIDEMARK_AS_OF: '2019-12-31' })?.asOf).toBe('2019-12-31');
    expect(readOptions(['--once'], { TIDEMARK_AS_OF: '' })).toEqual({ once: true, asOf: DEFAULT_AS_OF });
  });

  test.each([['--as-of', '2018-02-30'], ['--as-of', 'today'], ['--twice'], ['extra']])(
    'an unknown option or an invalid date is a mistake of the user: %s %s',
    (...argv) => {
      expect(() => readOptions(argv.filter(Boolean), {})).toThrow(UsageError);
    },
  );
});

describe('the ports of the demo', () => {
  test('avoid busy ports', async () => {
    const busy = await listen();
    const ports = await choosePorts({ ...loadConfig({}), port: busy.port, boardPort: busy.port }, {});
    expect(new Set([busy.port, ports.api, ports.board]).size).toBe(3);
    busy.close();
  });

  test('leave a port set for the board to it', async () => {
    const wanted = await freePort();
    const env = { BOARD_PORT: String(wanted) };
    const ports = await choosePorts({ ...loadConfig(env), port: wanted }, env);
    expect(ports.board).toBe(wanted);
    expect(ports.api).not.toBe(wanted);
  });

  test('one port set for both is a mistake that names both settings', async () => {
    const env = { PORT: '8095', BOARD_PORT: '8095' };
    await expect(choosePorts(loadConfig(env), env)).rejects.toThrow('PORT and BOARD_PORT are both 8095');
    const any = { PORT: '0', BOARD_PORT: '0' };
    await expect(choosePorts(loadConfig(any), any)).resolves.toBeDefined();
  });

  test('a busy port that is set is named with its setting', async () => {
    const busy = await listen();
    const env = { PORT: String(await freePort()), BOARD_PORT: String(busy.port) };
    await expect(choosePorts(loadConfig(env), env)).rejects.toThrow(`Port ${busy.port} (BOARD_PORT) is busy`);
    busy.close();
  });
});

async function listen(): Promise<{ readonly port: number; readonly close: () => void }> {
  const server = createServer();
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, close: () => server.close() };
}
