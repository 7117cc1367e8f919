import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { startApi } from '../../src/serve.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const TIDEMARK = fileURLToPath(new URL('../../scripts/tidemark.mjs', import.meta.url));
const world = opened(() => openWorld({ KEY_PEPPER: 'a pepper for tests only' }));
let taken: Server;
let port = 0;

beforeAll(async () => {
  taken = createServer();
  await new Promise<void>((resolve) => {
    taken.listen(0, '127.0.0.1', resolve);
  });
  port = (taken.address() as AddressInfo).port;
});
afterAll(async () => {
  taken.close();
});

test('a connection on which nothing was sent does not hold up a stop', async () => {
  const api = await startApi({ ...world.context, config: { ...world.config, port: 0 } });
  const silent = connect(api.port, '127.0.0.1');
  silent.on('error', () => undefined);
  await once(silent, 'connect');
  const ended = once(silent, 'close').then(() => 'ended by the server');
  // Idle connections are ended at once, others after ten seconds.
  const started = performance.now();
  await api.close();
  expect(await ended).toBe('ended by the server');
  expect(performance.now() - started).toBeLessThan(9_500);
});

describe('a port that is in use', () => {
  test('is named in the error, and the connection for new briefs is closed', async () => {
    const config = { ...world.config, port };
    const starting = startApi({ ...world.context, config });
    await expect(starting).rejects.toMatchObject({ code: 'port_in_use' });
    const channel = redisKeys(world.creditsTag).currentBriefs;
    await expect.poll(() => world.credits.pubsub('NUMSUB', channel)).toEqual([channel, 0]);
  });

  test('ends `tidemark serve` with exit code 1', async () => {
    const env = { ...process.env, ...world.env, PORT: String(port) };
    const run = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      execFile(process.execPath, [TIDEMARK, 'serve'], { env, timeout: 100_000 }, (error, _stdout, stderr) => {
        resolve({ code: error?.code, stderr });
      });
    });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(`Port ${port} is in use`);
  });
});
