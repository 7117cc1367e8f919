import type { Db } from 'mongodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { APPLE } from '../../src/domain/filing/filing.sample.ts';
import type { Accession, IsoDate, QuarterEnd, Ticker } from '../../src/domain/ids.ts';
import { loadBriefInput } from '../../src/read/brief/brief.ts';
import { readHolders } from '../../src/read/holders/holders.ts';
import { positionHistory } from '../../src/read/holders/position-history.ts';
import { requireCorpus } from '../../src/read/holders/resolution.ts';
import { discovered, quarantined } from '../../src/store/filing/claims.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import {
  apple,
  cik,
  EARLIER,
  google,
  LATEST,
  PRIOR,
  publish,
  seedSymbols,
  showFiled,
} from '../api/stock-corpus.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const AAPL = 'AAPL' as Ticker;
const OF_APPLE = { ticker: AAPL, cusip: APPLE };
const HELD = [apple(1_000n, 200n), google()];

const world = opened(openWorld, beforeEach);
let db: Db;
beforeEach(async () => {
  db = world.mongo.db;
  await seedSymbols(db);
  await publish(db);
});

const accessionOf = (n: number, serial = 1) =>
  `${cik(n)}-18-9${String(serial).padStart(5, '0')}` as Accession;

/** A 13F that cannot be read; without a quarter neither can its header. */
async function refuse(n: number, filedDate: string, quarterEnd: QuarterEnd | null): Promise<Accession> {
  const accession = accessionOf(n);
  const filing = { accession, cik: cik(n), form: '13F-HR', leg: 'thirteen_f', company: '' } as const;
  const doc = discovered({ ...filing, filedDate: filedDate as IsoDate }, '');
  const subject = { issuerCik: null, reportingOwnerCiks: [], quarterEnd };
  const why = { code: 'malformed_xml', reason: '', at: '', subject };
  await filingsIn(db).insertOne({ ...doc, ...quarantined(doc, why).$set });
  return accession;
}

const ofBrief = async () => (await loadBriefInput(db, AAPL, '')).holders;
const accessions = (filings: readonly { readonly accession: Accession }[]) =>
  filings.map(({ accession }) => accession);

async function ofOwners(quarterEnd: QuarterEnd | null) {
  const publication = await requireCorpus(db);
  const { unread } = await readHolders(db, { ...OF_APPLE, publication, quarterEnd });
  return accessions(unread);
}

async function ofHistory(manager: number | null, quarterEnd = LATEST): Promise<readonly string[]> {
  const { corpus } = await requireCorpus(db);
  const query = { ...OF_APPLE, corpus, quarters: 4, cik: manager === null ? null : cik(manager) };
  const line = (await positionHistory(db, query)).find((one) => one.quarter_end === quarterEnd);
  return line?.limitations ?? [];
}

describe('a 13F that cannot be read is named where its manager held the security', () => {
  test.each([['2018-09-30' as QuarterEnd], [null]])(
    'in its quarter (%s by its header)',
    async (quarterEnd) => {
      await showFiled(db, 1, { [PRIOR]: HELD });
      await showFiled(db, 2, { [PRIOR]: HELD, [LATEST]: HELD });
      const refused = await refuse(1, '2018-11-14', quarterEnd);
      expect(await ofBrief()).toMatchObject({
        late: [],
        unread: [{ accession: refused, quarterEnd: LATEST }],
      });
      expect(await ofOwners(null)).toEqual([refused]);
      expect(await ofOwners(LATEST)).toEqual([refused]);
      expect(await ofOwners(PRIOR)).toEqual([]);
      expect((await ofHistory(null)).join()).toContain(refused);
      expect((await ofHistory(1)).join()).toMatch(/could not be read: 0000000001-18-900001/);
      expect((await ofHistory(1)).join()).not.toContain('has no report');
    },
  );

  test('also as an amendment of a report that was read', async () => {
    await showFiled(db, 1, { [LATEST]: HELD });
    const refused = await refuse(1, '2018-11-20', LATEST);
    expect(accessions((await ofBrief()).unread)).toEqual([refused]);
  });

  test('also when the next report was read and no longer shows the security', async () => {
    await showFiled(db, 1, { [EARLIER]: HELD, [LATEST]: [google()] });
    const refused = await refuse(1, '2018-08-14', PRIOR);
    expect(accessions((await ofBrief()).unread)).toEqual([refused]);
    expect(await ofOwners(PRIOR)).toEqual([refused]);
  });

  test('also by a manager that was long behind, in what it filed after its last table', async () => {
    await showFiled(db, 1, { [EARLIER]: HELD });
    await showFiled(db, 2, { [EARLIER]: HELD, [PRIOR]: HELD, [LATEST]: HELD });
    const refused = await refuse(1, '2018-11-14', LATEST);
    expect(accessions((await ofBrief()).unread)).toEqual([refused]);
    expect([await ofOwners(null), await ofOwners(LATEST)]).toEqual([[refused], [refused]]);
    const [latest, prior] = [await ofHistory(null), await ofHistory(null, PRIOR)];
    expect(latest.join()).toContain(refused);
    expect([latest, prior].join()).not.toContain('no stored report');
  });

  test('not in what a manager filed before it held the security', async () => {
    await showFiled(db, 1, { [PRIOR]: HELD });
    await showFiled(db, 2, { [EARLIER]: HELD, [LATEST]: HELD });
    const refused = await refuse(1, '2018-05-15', EARLIER);
    expect(await ofOwners(EARLIER)).toEqual([]);
    expect((await ofHistory(null, EARLIER)).join()).not.toContain(refused);
    expect((await ofHistory(null)).join()).toContain('1 manager that held the security has no stored report');
  });

  test('not where its manager did not hold it, and not before the day of the answer', async () => {
    await showFiled(db, 1, { [PRIOR]: [google()] });
    await showFiled(db, 2, { [PRIOR]: HELD });
    await refuse(1, '2018-11-14', LATEST);
    await refuse(2, '2018-12-03', LATEST);
    expect(await ofBrief()).toMatchObject({ late: [{ managers: 1 }], unread: [] });
    expect(await ofOwners(null)).toEqual([]);
  });
});

test('nobody is behind a quarter that nobody has reported', async () => {
  await showFiled(db, 1, { [PRIOR]: HELD });
  await showFiled(db, 2, { [LATEST]: HELD });
  const stoppedIn = async (quarterEnd: QuarterEnd) =>
    (await readHolders(db, { ...OF_APPLE, publication: await requireCorpus(db), quarterEnd })).stopped;
  expect(await stoppedIn(LATEST)).toContain('1 manager that held the security has no stored report');
  expect(await stoppedIn('2019-03-31' as QuarterEnd)).toBe(false);
});
