import { beforeAll, describe, expect, test } from 'vitest';
import { invalidatePricedBriefs } from '../../src/derive/peers/peers-followers.ts';
import { refreshPeers } from '../../src/derive/peers/writer.ts';
import { type FormFields, form4, reportingOwner } from '../../src/domain/brief/brief.sample.ts';
import { buildBrief } from '../../src/domain/brief/brief.ts';
import { APPLE } from '../../src/domain/filing/filing.sample.ts';
import type { Ownership } from '../../src/domain/filing/filing.ts';
import { type Cik, type Cusip, type IsoDate, issuerOf, type Ticker } from '../../src/domain/ids.ts';
import { type Brief, briefShape } from '../../src/domain/wire/brief.ts';
import { auditTrades } from '../../src/read/audit/audit.ts';
import { loadBriefInput } from '../../src/read/brief/brief.ts';
import { pricesOfIssuers } from '../../src/read/trade/prices.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { publishAsOf } from '../../src/store/filing/settings.ts';
import { pendingVersion } from '../../src/store/invalidation/invalidation.ts';
import { pack } from '../../src/store/mongo/pack.ts';
import { peerVerdictsIn } from '../../src/store/peers/corporate-actions.ts';
import { packPrices, pricesOf } from '../../src/store/peers/quarter-prices.ts';
import { reportsIn } from '../../src/store/report/reports.ts';
import { discoveredDoc } from '../filings/doc.ts';
import { opened } from '../opened.ts';
import { seedForms } from './insider-corpus.ts';
import { openStage } from './stage.ts';
import { apple, EARLIER, LATEST, PRIOR, publish, seedSymbols, show } from './stock-corpus.ts';

const APPLE_CIK = '0000320193' as Cik;
const AAPL = 'AAPL' as Ticker;
const CUSIP = APPLE as Cusip;
const DIGITS = issuerOf(CUSIP);

const stage = opened(openStage);
let key = '';

function filed(number: number, fields: Partial<FormFields>): Ownership {
  const issuer = { cik: APPLE_CIK, name: 'Apple Inc.', symbol: 'AAPL' };
  const filed = '2018-09-06';
  return form4({
    number,
    filed,
    periodOfReport: filed as IsoDate,
    issuer,
    owners: [reportingOwner(number)],
    ...fields,
  });
}

const on = { transactionDate: '2018-09-04' as IsoDate };
/** Made up: a share is worth 200 dollars at the end of either quarter. */
const FORMS = [
  // 100 shares at 205 dollars, with the total in the price field.
  filed(1, { rows: [{ ...on, code: 'P', shares: '100', pricePerShare: '20500' }] }),
  filed(2, { rows: [{ ...on, shares: '100', pricePerShare: '210' }] }),
  ...[3, 4, 5].map((number) =>
    filed(number, { rows: [{ ...on, shares: `${number}`, pricePerShare: '199.5' }] }),
  ),
];

const holds = (price: bigint) => ({
  [PRIOR]: [apple(1_000n, 200n)],
  [LATEST]: [apple(1_100n, (price * 1_100n) / 1_000n)],
});

beforeAll(async () => {
  const { db } = stage.world.mongo;
  await publishAsOf(db, '2018-11-30' as IsoDate);
  await publish(db, { coverageStart: '2018-01-02' as IsoDate, indexedThrough: '2018-11-30' as IsoDate });
  await seedSymbols(db);
  for (const manager of [1, 2, 3]) await show(db, manager, holds(200n));
  const reports = await reportsIn(db).find({}).toArray();
  const cited = reports.flatMap(({ filings }) =>
    filings.map(({ accession }) => ({
      ...discoveredDoc(accession, '13F-HR'),
      retrievedAt: '2018-11-30T08:00:00.000Z',
    })),
  );
  await filingsIn(db).insertMany(cited);
  await seedForms(db, FORMS);
  await refreshPeers(db, PRIOR, { version: 1, at: '' });
  await refreshPeers(db, LATEST, { version: 1, at: '' });
  key = (await stage.newKey(100_000)).key;
});

async function brief(): Promise<Brief> {
  const input = await loadBriefInput(stage.world.mongo.db, AAPL, '2018-11-30T12:00:00.000Z');
  const built = buildBrief(input);
  expect(briefShape.safeParse(built).error).toBeUndefined();
  return built;
}

type Items = Brief['insiders']['transactions'];
const sorted = (items: Items): Items =>
  items.toSorted((a, b) => (a.transaction_id < b.transaction_id ? -1 : 1));

async function listed(query = 'ticker=AAPL'): Promise<Items> {
  const { status, body } = await stage.get(`/v1/insider/transactions?${query}`, key);
  expect(status).toBe(200);
  return sorted(body.data.transactions);
}

const reasonsOf = (items: Items): string[][] => items.map(({ quality }) => quality.reasons);

describe('prices of 13F reports', () => {
  test('mark a total in a price field in the same way in the brief, the list and the page (rule 6.3)', async () => {
    const items = await listed();
    expect(reasonsOf(items)).toEqual([
      ['price_implausible'],
      [],
      ...[3, 4, 5].map(() => ['possible_offering']),
    ]);
    expect(sorted((await brief()).insiders.transactions)).toEqual(items);
    expect(await listed('')).toEqual(items);
    const [first] = FORMS;
    const { body } = await stage.get(`/v1/filing/${first?.header.accession}`, key);
    expect(body.data.non_derivative_transactions[0].quality).toEqual(items[0]?.quality);
  });

  test('keep the trade in the counts and exclude its value from the direction (rule 6.3)', async () => {
    const { insiders, coverage } = await brief();
    expect(insiders.counts).toMatchObject({ buys: 1, sells: 4, priced: 5 });
    // With its two million dollars the purchase would outweigh the sales.
    expect(insiders.stance).toBe('net_selling');
    expect(coverage.limitations.filter((line) => /far above those|offering/.test(line))).toHaveLength(2);
  });

  test('are those of reports as filed, by security and quarter (rule 6.3)', async () => {
    const tables = await pricesOf(stage.world.mongo.db, [EARLIER, PRIOR, LATEST], [DIGITS]);
    const cents = [...tables].map(([end, table]) => {
      const price = table.get(CUSIP);
      return [end, price === undefined ? null : price.valueCents / price.shares];
    });
    expect(cents.sort()).toEqual([
      [PRIOR, 20_000n],
      [LATEST, 20_000n],
    ]);
  });

  test('that change invalidate the briefs whose trades are compared with them (rule 6.3)', async () => {
    const { db } = stage.world.mongo;
    const before = (await pendingVersion(db, 'brief', AAPL)) ?? 0;
    // Of seven filers four say another price: the one in the middle.
    for (const manager of [4, 5, 6, 7]) await show(db, manager, holds(210n));
    await refreshPeers(db, LATEST, { version: 2, at: '' });
    expect(await pendingVersion(db, 'brief', AAPL)).toBeGreaterThan(before);
    const again = await pendingVersion(db, 'brief', AAPL);
    await refreshPeers(db, LATEST, { version: 3, at: '' });
    expect(await pendingVersion(db, 'brief', AAPL)).toBe(again);
  });
});

test('the audit counts the marked trades (rule 6.3)', async () => {
  const { db } = stage.world.mongo;
  const { section } = await auditTrades(db, { asOf: null, quarterEnd: null, positionsOf: null, limit: 5 });
  expect(section.rows).toMatchObject([{ reason: 'price_implausible', price_per_share: '20500' }]);
});

describe('the stored prices', () => {
  test('are followed again when a run ended before it had invalidated the followers', async () => {
    const { db } = stage.world.mongo;
    const before = Number(await pendingVersion(db, 'brief', AAPL));
    const left = { inputsDigest: '', pendingPrices: pack([CUSIP]) };
    await peerVerdictsIn(db).updateOne({ _id: LATEST }, { $set: left });
    await refreshPeers(db, LATEST, { version: 4, at: '' });
    expect(await pendingVersion(db, 'brief', AAPL)).toBeGreaterThan(before);
    expect(await peerVerdictsIn(db).findOne({ _id: LATEST })).toMatchObject({ pendingPrices: null });
  });

  test('of a class that no fails file names are those of its issuer, and invalidate its briefs (rule 6.3)', async () => {
    const { db } = stage.world.mongo;
    const unnamed = `${DIGITS}209` as Cusip;
    const prices = new Map([[unnamed, { valueCents: 30_000_000n, shares: 1n }]]);
    await peerVerdictsIn(db).updateOne({ _id: LATEST }, { $set: { prices: packPrices(prices) } });
    expect(await invalidatePricedBriefs(db, LATEST, [unnamed])).toContain(AAPL);
    const known = await pricesOfIssuers(db, [APPLE_CIK], ['2018-09-04' as IsoDate]);
    expect(known.get(APPLE_CIK)?.get(LATEST)).toEqual(prices.get(unnamed));
  });
});
