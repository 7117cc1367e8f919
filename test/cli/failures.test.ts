import { beforeEach, describe, expect, test } from 'vitest';
import { computeCorpus } from '../../src/derive/corpus/corpus.ts';
import type { Accession, Cik, IsoDate } from '../../src/domain/ids.ts';
import { clearReferenceAlarms, raiseReferenceAlarm } from '../../src/store/filing/alarms.ts';
import { discovered } from '../../src/store/filing/claims.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { tidemark } from './tidemark.ts';

const DAY = '2018-11-14' as IsoDate;
const REASON = 'text_information_table: line 42 is neither a row nor a total: "CINTAS"';
const [CUT, TABLE, REFUSED] = ['1', '2', '3'].map((n) => `0000000001-18-00000${n}`) as [
  string,
  string,
  string,
];

const world = opened(openWorld);

async function quarantined(
  accession: string,
  form: string,
  why: { code: string; reason: string; raw: string[] },
) {
  const { raw, ...quarantine } = why;
  const leg = form === '4' ? 'form4' : 'thirteen_f';
  const found = { accession: accession as Accession, cik: '0000000001' as Cik, form, company: 'SYNTHETIC' };
  await filingsIn(world.mongo.db).insertOne({
    ...discovered({ ...found, leg, filedDate: DAY }, '2018-11-14T12:00:00.000Z'),
    state: 'quarantined',
    raw,
    quarantine: { ...quarantine, at: '2018-11-14T12:00:00.000Z' },
  });
}

async function listed(...options: string[]): Promise<string[]> {
  const { stdout } = await tidemark(world, 'failures', 'list', '--json', ...options);
  return (JSON.parse(stdout) as { accession_number: string }[]).map((row) => row.accession_number);
}

const stateOf = async (accession: string) =>
  (await filingsIn(world.mongo.db).findOne({ _id: accession as Accession }))?.state;

const coverage = async () => {
  const { thirteenF, form4 } = (await computeCorpus(world.mongo.db, DAY)).state.quarantined;
  return { thirteenF, form4 };
};

beforeEach(async () => {
  await filingsIn(world.mongo.db).deleteMany({});
  await quarantined(CUT, '4', { code: 'truncated', reason: 'truncated: cut', raw: ['aa'] });
  await quarantined(TABLE, '13F-HR', { code: 'text_information_table', reason: REASON, raw: ['bb'] });
  await quarantined(REFUSED, '4', { code: 'edgar_too_large', reason: 'more bytes than allowed', raw: [] });
});

test('list selects by form, stage and code', async () => {
  expect(await listed()).toEqual([CUT, TABLE, REFUSED]);
  expect(await listed('--form', '4')).toEqual([CUT, REFUSED]);
  expect(await listed('--stage', 'fetch')).toEqual([REFUSED]);
  expect(await listed('--stage', 'parse', '--form', '4')).toEqual([CUT]);
  expect(await listed('--code', 'truncated')).toEqual([CUT]);
});

test('a form or a code that does not exist is a mistake that names those that do', async () => {
  const form = await tidemark(world, 'failures', 'list', '--form', '10-K');
  expect([form.code, form.stderr]).toEqual([2, expect.stringContaining('Carried forms: 4, 4/A')]);
  for (const command of [['list'], ['retry', '--all'], ['ignore', '--all']]) {
    const code = await tidemark(world, 'failures', ...command, '--code', 'trunkated');
    expect([code.code, code.stderr]).toEqual([
      2,
      expect.stringContaining('Codes of failures: edgar_too_large, text_information_table, truncated.'),
    ]);
  }
  // None is quarantined with it at the moment.
  expect((await tidemark(world, 'failures', 'retry', '--all', '--code', 'too_deep')).code).toBe(0);
  expect(await listed()).toHaveLength(3);
});

test('list says how many more there are, and how to see them', async () => {
  const { stdout, stderr } = await tidemark(world, 'failures', 'list', '--limit', '1');
  expect(stdout).toMatch(new RegExp(`^${CUT}\\t[^\\n]*\\n$`));
  expect(stderr).toContain('2 more. List them with --limit 3, or select by');
  expect((await tidemark(world, 'failures', 'list', '--limit', '3')).stderr).not.toContain('more.');
});

test('show prints the whole reason with the line that could not be read', async () => {
  const { code, stdout } = await tidemark(world, 'failures', 'show', TABLE);
  expect(code).toBe(0);
  expect(stdout).toContain(REASON);
  expect(stdout).toMatch(/stage +parse\n/);
});

describe('retry', () => {
  test('of one code takes those and leaves the others; what has no bytes is fetched', async () => {
    const run = await tidemark(world, 'failures', 'retry', '--all', '--code', 'truncated');
    expect(run.stderr).toContain('The next worker will retry 1 filings.');
    expect([await stateOf(CUT), await stateOf(TABLE)]).toEqual(['fetched', 'quarantined']);
    await tidemark(world, 'failures', 'retry', REFUSED);
    expect(await stateOf(REFUSED)).toBe('discovered');
  });

  test('of an import whose document was refused has it fetched again; the import stands', async () => {
    const { db } = world.mongo;
    const imported = { state: 'parsed' as const, dataSet: '2018q4_form13f', missingSince: 'long ago' };
    await filingsIn(db).updateOne({ _id: REFUSED as Accession }, { $set: imported });
    expect(await listed()).toEqual([CUT, TABLE, REFUSED]);
    expect(await coverage()).toEqual({ thirteenF: 1, form4: 1 });
    await tidemark(world, 'failures', 'retry', REFUSED);
    expect(await listed()).toEqual([CUT, TABLE]);
    const retried = await filingsIn(db).findOne({ _id: REFUSED as Accession });
    expect(retried).toMatchObject({ state: 'parsed', documentWanted: true, quarantine: null });
    expect(retried).not.toHaveProperty('missingSince');
  });

  test('without an accession number and without --all is a mistake, and so is both', async () => {
    for (const args of [[], [CUT, '--all'], ['nonsense']]) {
      const run = await tidemark(world, 'failures', 'retry', ...args);
      expect(run.code, args.join()).not.toBe(0);
    }
    expect(await listed()).toHaveLength(3);
  });
});

describe('ignore', () => {
  test('takes the filing out of the list, the status and the coverage, with who and when', async () => {
    expect(await coverage()).toEqual({ thirteenF: 1, form4: 2 });
    await tidemark(world, 'failures', 'ignore', CUT, '--by', 'ada');
    expect(await listed()).toEqual([TABLE, REFUSED]);
    expect(await coverage()).toEqual({ thirteenF: 1, form4: 1 });
    const { stdout } = await tidemark(world, 'failures', 'list', '--ignored');
    expect(stdout).toMatch(new RegExp(`^${CUT}\t4\t.*\tada\t\\d{4}-`));
    const status = JSON.parse((await tidemark(world, 'status', '--json')).stdout) as object;
    expect(status).toMatchObject({ quarantined: 2, ignored: 1, discovered: 3 });
  });

  test('of all with a code spares the others; a retry of all spares the ignored, and of one ends it', async () => {
    await tidemark(world, 'failures', 'ignore', '--all', '--form', '4', '--by', 'ada');
    expect(await listed('--ignored')).toEqual([CUT, REFUSED]);
    await tidemark(world, 'failures', 'retry', '--all');
    expect([await stateOf(CUT), await stateOf(TABLE)]).toEqual(['quarantined', 'fetched']);
    await tidemark(world, 'failures', 'retry', CUT);
    expect(await stateOf(CUT)).toBe('fetched');
    expect(await listed('--ignored')).toEqual([REFUSED]);
  });
});

test('a reference file that cannot be read is an alarm of status, and the list says where (rule 10.8)', async () => {
  const { db } = world.mongo;
  const [first, second] = ['2018-11-14T05:15:00.000Z', '2018-11-15T05:15:00.000Z'];
  const file = { name: 'cnsfails201811a.zip', code: 'edgar_malformed', message: 'the zip cannot be read' };
  for (const at of [first, second]) await raiseReferenceAlarm(db, { ...file, at });
  const { stdout } = await tidemark(world, 'status');
  expect(stdout).toContain('ALARM cnsfails201811a.zip edgar_malformed: the zip cannot be read');
  const { reference_alarms: alarms } = JSON.parse((await tidemark(world, 'status', '--json')).stdout);
  expect(alarms).toMatchObject([{ file: file.name, since: first, at: second }]);
  expect((await tidemark(world, 'failures', 'list')).stderr).toContain('1 reference files could not be read');
  await clearReferenceAlarms(db, new Date(second));
  expect((await tidemark(world, 'status')).stdout).toContain('ALARM');
  await clearReferenceAlarms(db, new Date('2018-11-16'));
  expect((await tidemark(world, 'status')).stdout).not.toContain('ALARM');
});
