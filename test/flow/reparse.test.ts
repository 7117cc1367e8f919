import type { Binary } from 'mongodb';
import { beforeAll, expect, test } from 'vitest';
import { type Reparsed, reparse } from '../../jobs/reparse.ts';
import type { InfoTableRow, Ownership } from '../../src/domain/filing/filing.ts';
import type { Accession } from '../../src/domain/ids.ts';
import { AppError } from '../../src/errors.ts';
import { type FilingDoc, filingsIn } from '../../src/store/filing/filings.ts';
import { keepRaw } from '../../src/store/filing/raw.ts';
import { readRows, writeRows } from '../../src/store/filing/rows.ts';
import { findByIds } from '../../src/store/mongo/lists.ts';
import { briefsIn, listCorrections } from '../../src/store/publish/briefs.ts';
import { securitiesIn } from '../../src/store/security/securities.ts';
import { tidemark } from '../cli/tidemark.ts';
import { opened } from '../opened.ts';
import { openFlow, openStages, runPipeline } from './flow.ts';
import { AUTUMN, SPRING } from './greenlight.ts';
import { type Shown, shownIn } from './shown.ts';
import { AS_OF, FORM4, openSmallCorpus } from './small-corpus.ts';

const BERKSHIRE_AUTUMN = '0000950123-18-011885' as Accession;
const [MUSK = ''] = FORM4 as Accession[];
const REFUSED = { code: 'text_information_table', reason: 'not known yet', at: '2018-11-14T12:00:00.000Z' };

const folder = opened(openSmallCorpus);
const flow = opened(() => openFlow(folder, AS_OF));
/** What the present parsers make of the folder. */
let present: Shown;
let statements: unknown;

beforeAll(async () => {
  await runPipeline(flow);
  present = await shownIn(flow.db);
  statements = await statementsNow();
  await readAsBefore();
}, 300_000);

const statementsNow = () => securitiesIn(flow.db).find().sort({ _id: 1 }).toArray();

/** Three filings as older parsers might have left them: rows misread, a wrong symbol, a table refused. */
async function readAsBefore(): Promise<void> {
  const autumn = await filing(AUTUMN);
  const rows = await readRows(flow.db, autumn._id, autumn.rows ?? { source: '', pages: 0, count: 0 });
  const misread = rows.map((row): InfoTableRow => ({ ...row, amount: row.amount + 1_000n }));
  const table = { accession: autumn._id, source: '13f-1|older' };
  await set(autumn._id, { parserVersion: '13f-1', rows: await writeRows(flow.db, table, misread) });
  const form4 = await filing(MUSK);
  const content = form4.content as Ownership;
  const issuer = { ...content.issuer, symbol: 'OLDX' };
  await set(form4._id, { parserVersion: 'form4-1', content: { ...content, issuer } });
  await set(BERKSHIRE_AUTUMN, {
    state: 'quarantined',
    quarantine: REFUSED,
    content: null,
    rows: null,
    followers: [],
  });
}

async function filing(_id: string): Promise<FilingDoc> {
  const doc = await filingsIn(flow.db).findOne({ _id: _id as Accession });
  if (doc === null) throw new Error(`${_id} is not stored`);
  return doc;
}

const set = (_id: Accession, fields: Partial<FilingDoc>) =>
  filingsIn(flow.db).updateOne({ _id }, { $set: fields });

async function reparsed(...options: string[]) {
  const { code, stdout } = await tidemark(flow.world, 'reparse', '--json', ...options);
  return { code, ...JSON.parse(stdout) };
}

const TOLD = [
  { accession_number: MUSK, form: '4', outcome: 'changed', detail: 'issuer' },
  { accession_number: BERKSHIRE_AUTUMN, form: '13F-HR', outcome: 'accepted', detail: '' },
  {
    accession_number: AUTUMN,
    form: '13F-HR',
    outcome: 'changed',
    detail: expect.stringMatching(/^(\d+) of \1 rows$/),
  },
];

test('a dry run says what the present parsers would change, and changes nothing', async () => {
  const before = await filingsIn(flow.db).find().sort({ _id: 1 }).toArray();
  const { code, dry_run, counts, filings } = await reparsed('--dry-run');
  expect([code, dry_run]).toEqual([0, true]);
  expect(counts).toMatchObject({ changed: 2, accepted: 1, same: 0, refused: 0 });
  expect(filings).toEqual(expect.arrayContaining(TOLD));
  expect(await filingsIn(flow.db).find().sort({ _id: 1 }).toArray()).toEqual(before);
});

test('after a reparse the store equals one that the present parsers filled (rule 13.2)', {
  tags: ['long'],
}, async () => {
  // What follows from what the older ones had read.
  for (const id of [AUTUMN, MUSK] as Accession[]) await set(id, { derive: 'pending' });
  await runPipeline(flow);
  const older = await shownIn(flow.db);
  expect(older).not.toEqual(present);
  expect((await reparsed('--form', '4')).filings).toHaveLength(1);
  expect((await reparsed()).filings).toHaveLength(2);
  await runPipeline(flow);
  const { briefs, ...shown } = await shownIn(flow.db);
  const { briefs: expected, ...rest } = present;
  expect(shown).toEqual(rest);
  // The wrong symbol was a ticker once. It is none now.
  expect(briefs).toEqual({ ...expected, OLDX: briefs['OLDX'] });
  expect(await statementsNow()).toEqual(statements);
  const corrected = await listCorrections(flow.db, null, 100);
  expect(corrected.find(({ ticker }) => ticker === 'GM')).toMatchObject({
    cause: 'parser',
    from: older.briefs['GM'],
    evidenceIds: [`sec:13f:${AUTUMN}`],
  });
  const named = corrected.flatMap(({ _id, from }) => [_id, from]);
  const stored = await findByIds(briefsIn(flow.db), named, { kept: 1 });
  expect(stored.map(({ kept }) => kept)).toEqual([...new Set(named)].map(() => true));
  expect(await filingsIn(flow.db).countDocuments({ former: { $exists: true } })).toBe(0);
  expect((await reparsed()).counts.changed).toBe(0);
  const pages = flow.db.collection<{ _id: string; rows: Binary }>('filing_rows');
  expect(await pages.countDocuments({ _id: { $regex: '13f-1' } })).toBe(0);
});

test('a filing that the present parser refuses leaves every answer, and is told (rule 13.2)', {
  tags: ['long'],
}, async () => {
  const meta = { url: '', fetchedAt: '', etag: null };
  const raw = await keepRaw(flow.db, Buffer.from('<SEC-DOCUMENT>cut'), meta);
  await set(SPRING as Accession, { parserVersion: '13f-1', raw: [raw] });
  const { code, filings } = await reparsed();
  expect(code).toBe(1);
  expect(filings).toEqual([expect.objectContaining({ accession_number: SPRING, outcome: 'refused' })]);
  await runPipeline(flow);
  const { reports } = await shownIn(flow.db);
  expect(Object.keys(reports)).not.toContain('0001079114|2018-03-31');
  // Tried again by each run, and told as such.
  expect((await reparsed()).counts).toMatchObject({ refused: 0, failed: 1 });
});

test('a filing that breaks the parser stays as it is and stops no other (rule 13.2)', async () => {
  for (const id of FORM4 as Accession[]) await set(id, { parserVersion: 'form4-1' });
  const before = await filing(MUSK);
  const outcomes: Record<string, string> = {};
  const { context, close } = await openStages(flow);
  const parse: typeof context.parser.parse = async (bytes, accession) => {
    if (accession === MUSK) throw new AppError('parse_crashed', 'out of memory', { retry: true });
    return context.parser.parse(bytes, accession);
  };
  const each = (one: Reparsed): void => {
    outcomes[one.accession] = one.outcome;
  };
  const options = { concurrency: 1, isDryRun: false, each };
  await reparse({ ...context, parser: { ...context.parser, parse } }, { form: '4' }, options);
  await close();
  expect(outcomes).toEqual(Object.fromEntries(FORM4.map((id) => [id, id === MUSK ? 'crashed' : 'same'])));
  expect(await filing(MUSK)).toEqual(before);
});
