import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openStatus } from '../../src/api/status.ts';
import { requireIsoDate } from '../../src/domain/ids.ts';
import { statusShape } from '../../src/domain/wire/status.ts';
import { FORMS } from '../../src/forms/index.ts';
import { openQuarterCounts, serviceStatus } from '../../src/read/status/status.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { notePolled, publishAsOf } from '../../src/store/filing/settings.ts';
import { type HeartbeatDoc, saveHeartbeat } from '../../src/store/process/heartbeats.ts';
import { tidemark } from '../cli/tidemark.ts';
import { opened } from '../opened.ts';
import { openStage } from './stage.ts';

const stage = opened(openStage);
/** A Monday, half past ten in New York. */
const START = Date.parse('2026-11-23T15:30:00Z');
let clock = START;

const shape = z.strictObject({ data: statusShape });
const beatOf = (role: HeartbeatDoc['role'], pid: number): HeartbeatDoc => ({
  ...{
    _id: `${role}@host:${pid}`,
    role,
    about: role === 'worker' ? 'live, briefs, heavy, leaderboard' : '',
    host: 'host',
    pid,
  },
  ...{ version: '0.1.0', startedAt: new Date(clock), at: new Date(clock), problems: [] },
});

beforeAll(async () => {
  const { db } = stage.world.mongo;
  await publishAsOf(db, requireIsoDate('2026-11-23'));
  await notePolled(db, new Date(START).toISOString());
  const filing = { lane: 'live', filedDate: '2026-11-20', discoveredAt: new Date(START).toISOString() };
  await filingsIn(db).insertMany([
    { _id: 'a', state: 'parsed', ...filing },
    { _id: 'b', state: 'parsed', ...filing, filedDate: '2026-08-14' },
    { _id: 'c', state: 'quarantined', ...filing },
  ] as never[]);
});

async function status() {
  const { db } = stage.world.mongo;
  const now = (): Date => new Date(clock);
  const found = await serviceStatus({ db, now, forms: FORMS, countQuarters: openQuarterCounts(now) });
  statusShape.parse(found.data);
  return found;
}

test('it is ok while every process beats, and not within 60 s of one that stopped', async () => {
  const { db } = stage.world.mongo;
  for (const [at, role] of (['api', 'worker', 'scheduler'] as const).entries()) {
    await saveHeartbeat(db, beatOf(role, at + 1));
  }
  const { data, problems } = await status();
  expect(problems).toEqual([]);
  expect(data).toMatchObject({
    status: 'ok',
    as_of: '2026-11-23',
    minutes_behind: 0,
    events: { head_seq: 0 },
  });
  expect(data.quarters.slice(0, 2)).toEqual([
    { quarter_end: '2026-12-31', filed: 2, parsed: 1, quarantined: 1 },
    { quarter_end: '2026-09-30', filed: 1, parsed: 1, quarantined: 0 },
  ]);
  expect(data.processes.map(({ role, queues }) => [role, queues])).toEqual([
    ['api', []],
    ['scheduler', []],
    ['worker', ['live', 'briefs', 'heavy', 'leaderboard']],
  ]);
  expect(data.watermarks.map(({ form }) => form)).toContain('13F-HR');
  // The worker stops; the others go on. An answer is kept for five seconds more.
  clock += 55_000;
  await saveHeartbeat(db, { ...beatOf('api', 1), startedAt: new Date(START) });
  await saveHeartbeat(db, { ...beatOf('scheduler', 3), startedAt: new Date(START) });
  const late = await status();
  expect(late.data.status).toBe('degraded');
  expect(late.data.processes.map(({ role, alive }) => [role, alive])).toEqual([
    ['api', true],
    ['scheduler', true],
    ['worker', false],
  ]);
  expect(late.problems).toEqual([
    'no worker live is running',
    'no worker briefs is running',
    'no worker heavy is running',
    'no worker leaderboard is running',
    'worker live, briefs, heavy, leaderboard (host, process 2): no heartbeat for 55 s',
  ]);
});

test('a process that started in the place of a dead one makes it ok again', async () => {
  await saveHeartbeat(stage.world.mongo.db, beatOf('worker', 4));
  const { data } = await status();
  expect(data.status).toBe('ok');
  expect(data.processes).toHaveLength(3);
});

test('a feed that was not read for more than ten minutes degrades it', async () => {
  const { db } = stage.world.mongo;
  await notePolled(db, new Date(clock - 15 * 60_000).toISOString());
  const { data, problems } = await status();
  expect(data).toMatchObject({ status: 'degraded', minutes_behind: 14 });
  expect(problems).toEqual(['14 minutes behind EDGAR']);
});

test('200 without a key, as JSON or HTML by Accept', async () => {
  const json = await stage.get('/status');
  expect(json.status).toBe(200);
  expect(shape.parse(json.body).data.as_of).toBe('2026-11-23');
  const page = await fetch(`${stage.origin}/status`, { headers: { accept: 'text/html,*/*;q=0.8' } });
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('vary')).toBe('Accept, Accept-Encoding');
  expect(await page.text()).toContain('<h2 id="quarters">Filings by quarter</h2>');
});

test('it is asked of MongoDB once in five seconds', async () => {
  const { db } = stage.world.mongo;
  const read = openStatus({ db, forms: FORMS, store: { ...stage.store, now: () => new Date(clock) } });
  const first = await read();
  await saveHeartbeat(db, beatOf('api', 9));
  expect(await read()).toBe(first);
  clock += 5_000;
  expect((await read()).processes).toHaveLength(4);
});

test('tidemark status says the same, with the reasons', async () => {
  await saveHeartbeat(stage.world.mongo.db, { ...beatOf('worker', 4), problems: ['jobs of fetch wait'] });
  const { stdout } = await tidemark(stage.world, 'status', '--json');
  const { service } = JSON.parse(stdout);
  const { problems, ...data } = service;
  statusShape.parse(data);
  expect(data.status).toBe('degraded');
  expect(problems.join()).toContain('jobs of fetch wait');
  expect((await tidemark(stage.world, 'status')).stdout).toContain('jobs of fetch wait\n');
});

test('without MongoDB it is down, and still 200', async () => {
  const { mongo } = stage.world;
  const own = await openStage({ MONGO_DB: `${mongo.db.databaseName}d` });
  await own.world.mongo.client.close();
  const answer = await own.get('/status');
  expect(answer.status).toBe(200);
  expect(shape.parse(answer.body).data.status).toBe('down');
  await own.close().catch(() => undefined);
});
