import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Board, startBoard } from '../dashboards/board.ts';
import { freePort } from '../packages/embedded/port.ts';
import { waitUntil } from '../packages/embedded/wait.ts';
import { countRequests, metricsOf, openRegistry } from '../src/cli/process-commands.ts';
import { fenceCredits } from '../src/credits/ledger/fence.ts';
import { redisKeys } from '../src/credits/redis-keys.ts';
import { requireIsoDate } from '../src/domain/ids.ts';
import { openCallMeters } from '../src/metrics/calls.ts';
import { publishAsOf } from '../src/store/filing/settings.ts';
import { removeHeartbeat, saveHeartbeat } from '../src/store/process/heartbeats.ts';
import { NO_BROWSER, openBrowser, openWatched, WITHOUT } from './browser/browser.ts';
import { faultsOf, shoot } from './browser/whole.ts';
import { opened } from './opened.ts';
import { openWorld } from './world.ts';

const DEPLOY = fileURLToPath(new URL('../deploy', import.meta.url));
const OPERATIONS = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');
const ALERTS = readFileSync(join(DEPLOY, 'prometheus/alerts.yml'), 'utf8');
const PASSWORD = 'correct horse battery';
const LIMIT_MS = 90_000;
const NO_PROMETHEUS = spawnSync('prometheus', ['--version']).error !== undefined;

const world = opened(() => openWorld({ BOARD_PORT: '0' }));
let board: Board;
const authorization = `Basic ${Buffer.from(`operator:${PASSWORD}`).toString('base64')}`;

beforeAll(async () => {
  const { db } = world.mongo;
  await publishAsOf(db, requireIsoDate('2018-11-30'));
  const api = openRegistry('api');
  const meters = openCallMeters(api);
  meters.call('/v1/funds', 200, 12);
  meters.charge(2);
  const worker = openRegistry('worker');
  countRequests(worker)();
  for (const [at, registry] of [api, api, worker].entries()) {
    const now = new Date();
    const beat = { role: 'api', about: '', host: 'host', pid: at, version: '0.1.0', problems: [] } as const;
    const times = { startedAt: now, at: now };
    await saveHeartbeat(db, { _id: `process ${at}`, ...beat, ...times, metrics: await metricsOf(registry) });
  }
  const options = { writable: false, password: PASSWORD };
  board = await startBoard(world.context, world.config.queueRedisUrl ?? '', options);
});
afterAll(async () => {
  await board.close();
});

const ask = (path: string, headers: Record<string, string> = { authorization }) =>
  fetch(`http://127.0.0.1:${board.port}${path}`, { headers });

test('the status, the queues and the metrics need the operator password', async () => {
  for (const path of ['/operators', '/metrics']) expect((await ask(path, {})).status).toBe(401);
});

test('one page says what stands still and why', async () => {
  const page = await (await ask('/operators')).text();
  expect(page).toContain('<strong>degraded</strong>');
  expect(page).toContain('<li>no worker live is running</li>');
  for (const part of ['Queues', 'Coverage', 'Credits', 'Processes', 'Corrections']) {
    expect(page).toContain(`<h2>${part}</h2>`);
  }
  expect(page).toContain('href="/queue/sequence"');
});

test.skipIf(NO_BROWSER)(
  `the page is whole at every width, without a serious fault of axe${WITHOUT}`,
  async () => {
    const { db } = world.mongo;
    const now = new Date();
    const beat = { role: 'worker', about: 'live, heavy', host: 'host', pid: 1, version: '0.1.0' } as const;
    await saveHeartbeat(db, { _id: 'worker@host:1', ...beat, startedAt: now, at: now, problems: [] });
    // A board of its own has kept no facts.
    const options = { writable: false, password: PASSWORD };
    const other = await startBoard(world.context, world.config.queueRedisUrl ?? '', options);
    const browser = await openBrowser();
    const httpCredentials = { username: 'operator', password: PASSWORD };
    const { context, wrong } = await openWatched(browser, `http://127.0.0.1:${other.port}`, {
      httpCredentials,
    });
    const page = await context.newPage();
    await page.goto('/operators');
    expect(await page.getByText('live, heavy').isVisible()).toBe(true);
    expect(await faultsOf(page)).toEqual([]);
    await shoot(page, 'operators');
    expect(wrong).toEqual([]);
    await context.close();
    await browser.close();
    await other.close();
    await removeHeartbeat(db, 'worker@host:1');
  },
);

test('organisations whose charges are stopped are a problem until the fence', async () => {
  await world.credits.sadd(redisKeys(world.creditsTag).forks, 'stopped12345');
  const seen = async () => {
    // A board of its own has kept no facts.
    const options = { writable: false, password: PASSWORD };
    const other = await startBoard(world.context, world.config.queueRedisUrl ?? '', options);
    const read = async (path: string) =>
      (await fetch(`http://127.0.0.1:${other.port}${path}`, { headers: { authorization } })).text();
    const [page, metrics] = [await read('/operators'), await read('/metrics')];
    await other.close();
    const isProblem = page.includes('<li>organisations whose charges are stopped: 1 (');
    return [isProblem, /^tidemark_credits_stopped (\d)$/m.exec(metrics)?.[1]];
  };
  expect(await seen()).toEqual([true, '1']);
  await fenceCredits(world.store);
  expect(await seen()).toEqual([false, '0']);
});

test('metrics of processes of one role are one series, beside those of the whole installation', async () => {
  const text = await (await ask('/metrics')).text();
  expect(text).toMatch(/tidemark_call_seconds_count\{[^}]*route="\/v1\/funds"[^}]*\} 2\n/);
  expect(text).toMatch(/\ntidemark_status 1\n/);
  expect(text).toContain('tidemark_queue_waiting{queue="fetch"} 0');
  expect(text.match(/^# TYPE tidemark_status /gm)).toHaveLength(1);
});

test('without a service the metrics say that the status is down, and the page that one does not answer', async () => {
  const creditsRedis = world.credits.duplicate();
  const context = { ...world.context, creditsRedis };
  const options = { writable: false, password: PASSWORD };
  const other = await startBoard(context, world.config.queueRedisUrl ?? '', options);
  const read = (path: string) =>
    fetch(`http://127.0.0.1:${other.port}${path}`, { headers: { authorization } });
  const metrics = await read('/metrics');
  expect([metrics.status, await metrics.text()]).toEqual([
    200,
    expect.stringMatching(/^tidemark_status 0$/m),
  ]);
  expect((await read('/operators')).status).toBe(503);
  await other.close();
  creditsRedis.disconnect();
});

test('every metric of the alerts and the dashboard is exported, every alert has its section', async () => {
  const text = await (await ask('/metrics')).text();
  const exported = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  // Known only after the first poll, publication, job or check.
  const ofCheck = [
    'check_clean',
    'check_age_seconds',
    'whole_check_clean',
    'whole_check_age_seconds',
    'balance',
  ];
  for (const later of [
    'minutes_behind',
    'watermark_lag_days',
    'queue_job_seconds',
    ...ofCheck.map((name) => `credits_${name}`),
  ]) {
    expect(exported).toContain(`tidemark_${later}`);
    expect(text).not.toMatch(new RegExp(`^tidemark_${later}\\b`, 'm'));
  }
  const { panels } = JSON.parse(readFileSync(join(DEPLOY, 'grafana/tidemark.json'), 'utf8'));
  const used = `${ALERTS}${JSON.stringify(panels)}`.match(/\b(?:tidemark|nodejs|process)_\w+/g) ?? [];
  expect(used.length).toBeGreaterThan(25);
  for (const name of used) expect(exported).toContain(name.replace(/_(bucket|count)$/, ''));
  const anchors = [...OPERATIONS.matchAll(/^#{2,4} (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\d _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  for (const [, anchor] of ALERTS.matchAll(/operations\.md#(\S+)/g)) expect(anchors).toContain(anchor);
});

test.skipIf(NO_PROMETHEUS)(
  `a Prometheus loads the rules and reads the port${NO_PROMETHEUS ? ' (none is installed)' : ''}`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-prometheus-'));
    cpSync(join(DEPLOY, 'prometheus'), folder, { recursive: true });
    const config = readFileSync(join(folder, 'prometheus.yml'), 'utf8');
    writeFileSync(
      join(folder, 'prometheus.yml'),
      config.replace('127.0.0.1:8081', `127.0.0.1:${board.port}`).replaceAll('15s', '1s'),
    );
    writeFileSync(join(folder, 'board-password'), PASSWORD);
    const port = await freePort();
    const child: ChildProcess = spawn(
      'prometheus',
      [
        `--config.file=${folder}/prometheus.yml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    try {
      const read = async (path: string): Promise<string> => {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => null);
        return answer === null ? '' : answer.text();
      };
      const has = (path: string, text: string) =>
        waitUntil(async () => (await read(path)).includes(text), LIMIT_MS);
      expect(await has('query?query=tidemark_status', '"value":[')).toBe(true);
      expect(await has('rules', '"health":"ok"')).toBe(true);
      expect(await waitUntil(async () => !(await read('rules')).includes('unknown'), LIMIT_MS)).toBe(true);
      const rules = await read('rules');
      expect(rules.match(/"health":"ok"/g)).toHaveLength(ALERTS.match(/- alert: /g)?.length ?? 0);
    } finally {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  },
  2 * LIMIT_MS,
);
