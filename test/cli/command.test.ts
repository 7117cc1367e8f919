import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { briefInput, observation } from '../../src/domain/brief/brief.sample.ts';
import { buildBrief } from '../../src/domain/brief/brief.ts';
import { NO_HOLDERS } from '../../src/domain/brief/holder-facts.ts';
import type { BriefInput } from '../../src/domain/brief/input.ts';
import { summaryOf } from '../../src/domain/brief/manifest.ts';
import type { IsoDate, QuarterEnd, Ticker } from '../../src/domain/ids.ts';
import { type BriefDoc, briefsIn, noteCorrection, saveBrief } from '../../src/store/publish/briefs.ts';
import { saveEvidence } from '../../src/store/publish/evidence.ts';
import { publish } from '../api/stock-corpus.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { runProcess, tidemark } from './tidemark.ts';

const world = opened(openWorld);

function briefFile(change: (brief: ReturnType<typeof buildBrief>) => void = () => undefined): string {
  const input: BriefInput = {
    requestedTicker: 'ZZZZ' as Ticker,
    asOf: '2018-11-30' as IsoDate,
    generatedAt: '2018-11-30T12:00:00.000Z',
    resolution: { kind: 'unknown', ticker: 'ZZZZ' as Ticker },
    corpus: {
      corpus: 'test',
      sourceComplete: true,
      latestReportedQuarterEnd: '2018-09-30' as QuarterEnd,
      filingWindow: 'closed',
      coverageStart: '2018-01-02' as IsoDate,
      indexedThrough: '2018-11-29' as IsoDate,
      quarantined: { thirteenF: 0, form4: 0 },
    },
    holders: NO_HOLDERS,
    holderReadings: [],
    ownershipFilings: [],
    unreadForms: [],
    issuerPrices: new Map(),
    evidence: new Map(),
  };
  const brief = structuredClone(buildBrief(input));
  change(brief);
  mkdirSync(world.config.home, { recursive: true });
  const file = join(world.config.home, `brief-${Math.random()}.json`);
  writeFileSync(file, JSON.stringify({ data: brief }));
  return file;
}

it.each([
  [],
  ['serve'],
  ['work'],
  ['schedule'],
  ['board'],
  ['keys'],
  ['credits'],
  ['vouchers'],
  ['brief'],
  ['edgar'],
  ['replay'],
  ['status'],
  ['audit'],
  ['failures'],
  ['failures', 'show'],
  ['failures', 'ignore'],
])('--help is answered by every command with exit code 0: %s', async (...command) => {
  const run = await tidemark(world, ...command, '--help');
  expect(run.code).toBe(0);
  expect(run.stdout).toContain('Usage: tidemark');
});

it('a mistake is one clear line, exit code 2, and no stack trace', async () => {
  const mistakes = [
    await runProcess(world, 'nonsense'),
    await tidemark(world, 'keys', 'create', '--org', 'x'),
    await tidemark(world, 'keys', 'create', '--org', 'x', '--credits', 'many'),
    await tidemark(world, 'replay', '.', '--as-of', 'yesterday'),
    await tidemark(world, 'work', '--queues', 'live,fast'),
    await tidemark(world, 'work', '--queues', ''),
    await tidemark(world, 'reparse', '--form', '10-K'),
  ];
  for (const { code, stderr } of mistakes) {
    expect(code).toBe(2);
    expect(stderr).toContain('error:');
    expect(stderr).not.toMatch(/\n\s+at /);
  }
});

it.each([
  [['backfill', '13f', '--from', '2012q1'], 'since 2013Q2'],
  [['backfill', 'form4', '--from', '2018q2', '--to', '2018q1'], '--from is later than --to'],
  [['failures', 'retry'], 'Give an accession number, or --all'],
  [['failures', 'ignore', 'nonsense'], 'not an accession number'],
  [['vouchers', 'create', '--credits', '0'], 'A voucher needs credits.'],
])('so is one that only the command can see: %s', async (command, reason) => {
  const { code, stderr } = await tidemark(world, ...command);
  expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

it('what a file or a filer wrote moves no terminal when it is in an error', async () => {
  const { code, stderr } = await tidemark(world, 'brief', 'verify', 'no\u001b[2Jfile');
  expect([code, stderr]).toEqual([1, 'tidemark: no[2Jfile: cannot be read\n']);
});

it('a brief to be verified sends the key neither in plain http nor to another address of the API, and for each page once', async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer(({ url }, response) => {
    asked.push(url);
    response.setHeader('link', '</evidence?page=2>; rel="next"');
    response.end('{}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const file = briefFile((brief) => {
    brief.brief_id = '../stocks/AAPL/capital-change-brief#';
  });
  const { port } = server.address() as AddressInfo;
  await tidemark(world, 'brief', 'verify', file, '--api', `http://127.0.0.1:${port}`);
  const shown = await tidemark(world, 'brief', 'verify', file, '--api', 'http://tidemark.example');
  server.close();
  const page = '/v1/briefs/..%2Fstocks%2FAAPL%2Fcapital-change-brief%23/evidence?limit=500';
  expect(asked).toEqual([page, `${page}&page=2`]);
  expect([shown.code, shown.stderr]).toEqual([2, expect.stringContaining('plain http')]);
});

it('a folder that does not exist and an unknown key fail with exit code 1', async () => {
  const folder = await runProcess(world, 'replay', join(world.config.home, 'nowhere'));
  expect(folder.code).toBe(1);
  expect(folder.stderr).not.toMatch(/\n\s+at /);
  const key = await tidemark(world, 'keys', 'revoke', 'nosuchke');
  expect(key.code).toBe(1);
  expect(key.stderr.trim().split('\n')).toHaveLength(1);
});

it('keys create prints only the key, and credits add up in the organisation of that name', async () => {
  const first = await runProcess(world, 'keys', 'create', '--org', 'Acme', '--credits', '50');
  expect(first.stdout).toMatch(/^tm_live_[0-9A-Za-z]{46}\n$/);
  const second = await tidemark(world, 'keys', 'create', '--org', 'Acme', '--credits', '5');
  expect(second.stdout).not.toBe(first.stdout);
  const granted = await tidemark(world, 'credits', 'grant', '--org', 'Acme', '--credits', '10');
  expect(granted.stdout).toBe('65\n');
  const listed = JSON.parse((await tidemark(world, 'keys', 'list', '--json')).stdout) as unknown[];
  expect(listed).toHaveLength(2);
  expect(JSON.stringify(listed)).not.toContain(first.stdout.trim().slice(16));
});

it('keys create and credits grant name the organisation on stderr', async () => {
  const first = await tidemark(world, 'keys', 'create', '--org', 'Beta "B"', '--credits', '50');
  const id = /^Made the organisation "Beta \\"B\\"" \(([a-z0-9]{12})\)\.$/m.exec(first.stderr)?.[1] ?? '';
  expect(id).not.toBe('');
  const second = await tidemark(world, 'keys', 'create', '--org', 'Beta "B"', '--credits', '5');
  expect(second.stderr).toContain(`Joined the organisation "Beta \\"B\\"" (${id}).`);
  const granted = await tidemark(world, 'credits', 'grant', '--org', id, '--credits', '10');
  expect(granted.stderr).toContain(`Granted to the organisation "Beta \\"B\\"" (${id}).`);
  expect(granted.stdout).toBe('65\n');
});

it('keys create --test needs no credits and makes a test key', async () => {
  const { code, stdout } = await tidemark(world, 'keys', 'create', '--org', 'Testers', '--test');
  expect(code).toBe(0);
  expect(stdout.trim()).toMatch(/^tm_test_[0-9A-Za-z]{46}$/);
});

it('brief verify accepts a brief as built and names what differs in a changed one', async () => {
  const good = await tidemark(world, 'brief', 'verify', briefFile());
  expect(good.code).toBe(0);
  expect(good.stdout).toMatch(/^ok: .* These numbers belong to ccm_[0-9a-f]{64}; ask the API/);
  const other = await tidemark(world, 'brief', 'verify', briefFile(), '--id', `ccm_${'0'.repeat(64)}`);
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('expected brief_id')]);
  const changed = await tidemark(
    world,
    'brief',
    'verify',
    briefFile((brief) => {
      brief.headline = 'Everybody sold.';
    }),
  );
  expect(changed.code).toBe(1);
  expect(changed.stderr).toContain('brief_id');
});

async function storeBrief(input: BriefInput): Promise<string> {
  const brief = buildBrief(input);
  await saveBrief(world.mongo.db, {
    _id: brief.brief_id,
    ticker: brief.requested_ticker as Ticker,
    body: Buffer.from(JSON.stringify({ data: brief })),
    generatedAt: input.generatedAt,
    evidence: await saveEvidence(world.mongo.db, []),
    summary: summaryOf(brief),
  });
  return brief.brief_id;
}

it('brief diff says in words what two stored briefs say differently', async () => {
  const held = observation({ name: 'Acme Capital', currentShares: 1_500_000n, previousShares: 1_000_000n });
  const from = await storeBrief(briefInput({ observations: [held] }));
  const sold = { ...held, currentShares: 400_000n };
  const to = await storeBrief(briefInput({ observations: [sold] }));
  const run = await tidemark(world, 'brief', 'diff', from, to);
  expect(run.code).toBe(0);
  expect(run.stdout.split('\n')).toEqual([
    expect.stringMatching(/^Headline before: ".*added 500,000 shares.*" Now: ".*cut 600,000 shares.*"$/),
    'Direction of managers: net increases before, net decreases now.',
    'Managers that added shares: 1 before, 0 now.',
    'Managers that cut shares: 0 before, 1 now.',
    expect.stringMatching(/^Acme Capital: added 500,000 shares .* before, cut 600,000 shares .* now\.$/),
    '',
  ]);
  const json = await tidemark(world, 'brief', 'diff', from, to, '--json');
  expect(JSON.parse(json.stdout)).toContainEqual({
    code: 'institutional_stance',
    text: 'Direction of managers: net increases before, net decreases now.',
  });
  expect((await tidemark(world, 'brief', 'diff', to, to)).stdout).toBe('Nothing changed.\n');
});

it('brief diff of an unknown id is one clear line, exit code 1', async () => {
  const unknown = `brief_${'0'.repeat(64)}`;
  const run = await tidemark(world, 'brief', 'diff', unknown, unknown);
  expect([run.code, run.stdout]).toEqual([1, '']);
  expect(run.stderr).toContain(`${unknown}: no such brief is stored`);
});

it('status reports zeros for an empty database', async () => {
  const run = await tidemark(world, 'status', '--json');
  expect(run.code).toBe(0);
  expect(JSON.parse(run.stdout)).toMatchObject({ discovered: 0, briefs: 0, done: false, brief_id: null });
});

it('brief show prints the brief of a ticker without a charge; of what is no ticker it is one line', async () => {
  await publish(world.mongo.db);
  const shown = await tidemark(world, 'brief', 'show', 'zzzz');
  expect(JSON.parse(shown.stdout)).toMatchObject({ requested_ticker: 'ZZZZ', outcome: 'no_data' });
  const wrong = await tidemark(world, 'brief', 'show', '$$');
  expect([wrong.code, wrong.stderr]).toEqual([2, 'tidemark: $$: not a ticker (for example AAPL or BRK.B)\n']);
});

it('brief corrections lists what replaced a brief, of all tickers or of one', async () => {
  const [from = '', to = ''] = ['a', 'b'].map((digit) => `ccm_${digit.repeat(64)}`);
  const correction = { cause: 'algorithm', evidenceIds: [], at: '2018-11-30T12:00:00Z' } as const;
  await briefsIn(world.mongo.db).insertOne({ _id: to, ticker: 'AAPL' as Ticker } as BriefDoc);
  await noteCorrection(world.mongo.db, to, { from, ...correction });
  const listed = await tidemark(world, 'brief', 'corrections', 'AAPL', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject([{ from, to, ticker: 'AAPL' }]);
  expect((await tidemark(world, 'brief', 'corrections', 'MSFT')).stderr).toBe('No brief was corrected.\n');
});
