import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { drainLog } from '../../src/credits/ledger/drain.ts';
import { latestRows } from '../../src/store/account/ledger.ts';
import { opened } from '../opened.ts';
import { seed, seedBrief } from './corpus.ts';
import { openStage } from './stage.ts';

const BRIEF = '/v1/stocks/AAPL/capital-change-brief';
const BIG = '/v1/stocks/BIG/capital-change-brief';
/** The calls of one connection that are worked on at once. */
const AT_ONCE = 8;
const stage = opened(openStage);

beforeAll(async () => {
  await seed(stage.world.mongo.db);
  await seedBrief(stage.world.mongo.db, 'AAPL', 'x');
  // More than the buffers of both ends of a socket hold.
  await seedBrief(stage.world.mongo.db, 'BIG', 'x'.repeat(70_000));
});

const balanceOf = async (key: string): Promise<number> =>
  (await stage.get('/v1/credits', key)).body.data.balance;

/** Sends all calls in one write, the last one asking to close; ids identify the answers. */
function pipelined(paths: readonly string[], key: string): Promise<Socket> {
  const text = paths.map((path, at) => {
    const last = at === paths.length - 1 ? 'Connection: close\r\n' : '';
    return `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: request-${at}\r\n${last}Authorization: Bearer ${key}\r\n\r\n`;
  });
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(stage.origin).port), '127.0.0.1', () => {
      socket.write(text.join(''));
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

async function heard(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

async function deltasOf(orgId: string): Promise<number[]> {
  await drainLog(stage.store);
  const rows = await latestRows(stage.store.db, orgId, 1_000);
  return rows.flatMap(({ kind, delta }) => (kind === 'grant' ? [] : [delta])).reverse();
}

describe('pipelined calls', () => {
  test.each([
    ['10 warm briefs', Array.from({ length: 10 }, () => BRIEF), 100],
    ['3 lists of funds', Array.from({ length: 3 }, () => '/v1/funds'), 3],
    ['both in turn', [BRIEF, '/v1/funds', '/v1/credits', BRIEF, '/v1/events'], 22],
  ])('%s are answered in order and charged exactly', async (_name, paths, price) => {
    const { key, orgId } = await stage.newKey(1_000);
    await stage.get('/v1/funds', key);
    await stage.get(BRIEF, key);
    const text = await heard(await pipelined(paths, key));
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(paths.map(() => 'HTTP/1.1 200'));
    const ids = [...text.matchAll(/X-Request-Id: request-(\d+)/g)].map(([, at]) => Number(at));
    expect(ids).toEqual(paths.map((_, at) => at));
    expect(await balanceOf(key)).toBe(1_000 - 11 - price);
    expect((await deltasOf(orgId)).every((delta) => delta < 0)).toBe(true);
  });

  test.each([
    ['the hot path', BIG],
    ['the full path', '/v1/stocks/%42IG/capital-change-brief'],
  ])('cut off on %s cost nothing: each charge is voided', async (_name, path) => {
    const { key, orgId } = await stage.newKey(1_000);
    expect((await stage.get('/v1/credits', key)).status).toBe(200);
    const socket = await pipelined(
      Array.from({ length: AT_ONCE }, () => path),
      key,
    );
    // All have been charged, and the first answer alone fills what the system takes.
    const charged = async () => ({ calls: (await deltasOf(orgId)).length, error: socket.errored });
    await expect.poll(charged).toEqual({ calls: AT_ONCE, error: null });
    socket.resetAndDestroy();
    await expect.poll(async () => (await deltasOf(orgId)).filter((delta) => delta > 0)).toHaveLength(AT_ONCE);
    expect(await balanceOf(key)).toBe(1_000);
  });
});
