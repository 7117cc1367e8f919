import { expect, it } from 'vitest';
import type { Cik, Cusip, QuarterEnd } from '../../src/domain/ids.ts';
import { type ListedSecurity, listedKindOf } from '../../src/domain/security/listed.ts';
import { fails } from '../../src/domain/security/mapping.sample.ts';
import { isCutShort, listedFactsFor, saveSecurityList } from '../../src/store/security/listed.ts';
import { renamedBy, saveMappings } from '../../src/store/security/securities.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const world = opened(openWorld);

const cusip = (text: string) => text as Cusip;
const [SHARE, CALL, PUT, STRANGE] = ['037833100', '037833900', '037833950', '544147901'].map(cusip) as [
  Cusip,
  Cusip,
  Cusip,
  Cusip,
];
const Q3 = '2018-09-30' as QuarterEnd;
const Q4 = '2018-12-31' as QuarterEnd;

const row = (id: Cusip, description: string): ListedSecurity => ({
  cusip: id,
  kind: listedKindOf(description),
  hasOptions: false,
  issuer: 'APPLE INC',
  description,
  status: null,
});
const APPLE = [row(SHARE, 'COM'), row(CALL, 'CALL'), row(PUT, 'PUT')];
const report = (cik: number) => ({ cik: String(cik).padStart(10, '0') as Cik, quarterEnd: Q3 });

it('an option class of a list is one, a share and a stranger are not (rule 3.2)', async () => {
  const { db } = world.mongo;
  await saveSecurityList(db, { quarterEnd: Q3, rows: APPLE });
  expect(await listedFactsFor(db, report(7), [SHARE, CALL, PUT, STRANGE])).toEqual({
    optionClasses: new Map([
      [CALL, 'CALL'],
      [PUT, 'PUT'],
    ]),
    listed: new Set(),
  });
});

it('a list that comes after a report answers what the report asked (rule 3.2)', async () => {
  const { db } = world.mongo;
  const wrongDigit = cusip('111111111');
  const before = await listedFactsFor(db, report(7), [SHARE, STRANGE, wrongDigit]);
  expect(before).toEqual({ optionClasses: new Map(), listed: new Set() });
  // Asked only for what a list can judge, and only by those that hold it.
  await listedFactsFor(db, report(8), [SHARE]);
  const rows = [row(SHARE, 'COM'), row(STRANGE, 'PUT'), row(wrongDigit, 'SHS')];
  expect(await saveSecurityList(db, { quarterEnd: Q4, rows })).toEqual(['0000000007|2018-09-30']);
  const after = await listedFactsFor(db, report(7), [SHARE, STRANGE, wrongDigit]);
  expect(after).toEqual({ optionClasses: new Map([[STRANGE, 'PUT']]), listed: new Set([wrongDigit]) });
});

it('of several lists the newest that has a CUSIP counts, in whatever order they come', async () => {
  const { db } = world.mongo;
  const recycled = cusip('594918945');
  const older = { quarterEnd: Q3, rows: [row(recycled, 'CALL'), row(cusip('594918955'), 'PUT')] };
  const newer = { quarterEnd: Q4, rows: [row(recycled, 'COM')] };
  for (const list of [newer, older, newer]) await saveSecurityList(db, list);
  expect(await listedFactsFor(db, report(9), [recycled, cusip('594918955')])).toEqual({
    optionClasses: new Map([['594918955', 'PUT']]),
    listed: new Set([recycled]),
  });
});

it('a security beside an option class of the same number is a security', async () => {
  const { db } = world.mongo;
  const both = cusip('316092901');
  await saveSecurityList(db, {
    quarterEnd: Q4,
    rows: [row(both, 'CALL'), row(both, 'SHS'), row(both, 'CALL')],
  });
  expect(await listedFactsFor(db, report(9), [both])).toEqual({
    optionClasses: new Map(),
    listed: new Set([both]),
  });
});

it('a list of less than half of its neighbour was cut; a first list has no neighbour to compare with', async () => {
  const { db } = world.mongo;
  const rows = Array.from({ length: 9 }, (_, at) => row(cusip(`00000010${at}`), 'COM'));
  const march = { quarterEnd: '2012-03-31' as QuarterEnd, rows };
  expect(await isCutShort(db, march)).toBe(false);
  await saveSecurityList(db, march);
  for (const quarterEnd of ['2011-12-31', '2012-06-30'] as QuarterEnd[]) {
    expect(await isCutShort(db, { quarterEnd, rows: rows.slice(0, 4) })).toBe(true);
    expect(await isCutShort(db, { quarterEnd, rows: rows.slice(0, 5) })).toBe(false);
  }
  expect(await isCutShort(db, { quarterEnd: '2012-09-30' as QuarterEnd, rows: rows.slice(0, 4) })).toBe(
    false,
  );
});

it('a list shows which issuers have another name since, also one that shares a word (rule 3.6)', async () => {
  const { db } = world.mongo;
  const [coherus, square, kept] = ['19249H103', '852234103', '025816109'].map(cusip) as [Cusip, Cusip, Cusip];
  const mappings = [
    fails('CHRS', coherus, { name: 'COHERUS BIOSCIENCES INC COM' }),
    fails('SQ', square, { name: 'SQUARE, INC CLASS A COM STK' }),
    fails('AXP', kept, { name: 'AMERICAN EXPRESS COMPANY' }),
  ];
  await saveMappings(db, mappings);
  const named = (id: Cusip, issuer: string) => ({ ...row(id, 'COM'), issuer });
  const rows = [
    named(coherus, 'COHERUS ONCOLOGY INC'),
    named(square, 'BLOCK INC'),
    named(kept, 'AMERICAN EXPRESS CO'),
  ];
  expect(await renamedBy(db, { quarterEnd: Q4, rows })).toEqual([coherus, square]);
});
