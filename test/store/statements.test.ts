import { afterEach, expect, test } from 'vitest';
import { addDays } from '../../src/domain/calendar.ts';
import type { Cik, Cusip, IsoDate, Ticker } from '../../src/domain/ids.ts';
import { fails, form4 } from '../../src/domain/security/mapping.sample.ts';
import type { SecurityMapping } from '../../src/domain/security/mapping.ts';
import { resolveSecurity } from '../../src/domain/security/resolve.ts';
import {
  mappingsOf,
  namedTickersByCusip,
  saveMappings,
  securitiesIn,
} from '../../src/store/security/securities.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const [APPLE, CIK] = ['037833100' as Cusip, '0000320193' as Cik];
const FIRST = '2014-01-02' as IsoDate;
const AS_OF = '2019-12-31' as IsoDate;
/** Of five years: a Form 4 each week and a fails file each fortnight. */
const FORMS = Array.from({ length: 260 }, (_, week) => addDays(FIRST, 7 * week));
const FILES = FORMS.filter((_, week) => week % 2 === 0);

const STATED: SecurityMapping[] = [
  ...FORMS.map((on) => form4('AAPL', CIK, { on, name: 'APPLE INC' })),
  ...FILES.map((from) =>
    fails('AAPL', APPLE, { from, on: addDays(from, 10), to: addDays(from, 10), name: 'APPLE INC' }),
  ),
];

const world = opened(openWorld);
afterEach(async () => {
  await securitiesIn(world.mongo.db).deleteMany({});
});

async function stored() {
  const docs = await securitiesIn(world.mongo.db).find().sort({ _id: 1 }).toArray();
  return docs.map((doc) => ({ ...doc, spans: [...(doc.spans ?? [])].sort() }));
}

test('years of Forms 4 and fails files are a document for each statement', async () => {
  const { db } = world.mongo;
  for (const one of STATED.slice(0, 40)) await saveMappings(db, [one]);
  await saveMappings(db, STATED);
  expect((await stored()).map(({ _id, spans }) => [_id, spans.length])).toEqual([
    ['fails_to_deliver|AAPL|037833100|APPLE INC', FILES.length],
    [`form4|AAPL|${CIK}|APPLE INC`, FORMS.length],
  ]);
  expect((await namedTickersByCusip(db, [APPLE], AS_OF)).get(APPLE)).toEqual({
    ticker: 'AAPL',
    name: 'APPLE INC',
    isPresent: true,
  });
});

test('neither the order of arrival nor a repetition changes what is stored', async () => {
  const { db } = world.mongo;
  await saveMappings(db, STATED);
  const inOrder = await stored();
  await securitiesIn(db).deleteMany({});
  await saveMappings(db, STATED.slice(100).reverse());
  for (const one of STATED.slice(0, 100).reverse()) await saveMappings(db, [one]);
  await saveMappings(db, STATED.slice(50, 150));
  expect(await stored()).toEqual(inOrder);
});

test('the mappings of a symbol are those of each file and form', async () => {
  const { db } = world.mongo;
  await saveMappings(db, STATED);
  const ticker = 'AAPL' as Ticker;
  const mappings = await mappingsOf(db, [ticker]);
  expect(mappings).toHaveLength(STATED.length);
  const asOf = addDays(FIRST, 400);
  expect(resolveSecurity(ticker, mappings, asOf)).toEqual(resolveSecurity(ticker, STATED, asOf));
});
