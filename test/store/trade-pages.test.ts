import { beforeAll, describe, expect, test } from 'vitest';
import { cikOf, form4, ISSUER, reportingOwner } from '../../src/domain/brief/brief.sample.ts';
import { addDays } from '../../src/domain/calendar.ts';
import type { OwnershipRow } from '../../src/domain/filing/filing.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import type { Trade } from '../../src/domain/insider/trade.ts';
import { allRowsOf, isListed } from '../../src/domain/insider/trades.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { listTrades, type TradeQuery } from '../../src/store/trade/list.ts';
import { contentDigest, contentOf, tradesIn } from '../../src/store/trade/trades.ts';
import { type Random, randomOf } from '../faults/harness/seed.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const AS_OF = '2020-06-30' as IsoDate;
const CODES = ['P', 'S', 'S', 'A', 'M', 'F', 'G'];
const FORMS = 500;
const QUERIES = 100;
const MOST = 60;

const pick = <T>(random: Random, all: readonly T[]): T => all[random(all.length)] as T;

/** Busy days and months without any, most trades filed within three days and some years later. */
function filedOn(random: Random): IsoDate {
  const age = pick(random, [random(3), random(40), random(40), 200 + random(60), random(3_000)]);
  return addDays(AS_OF, -age);
}

function rowIn(random: Random, filed: IsoDate): Partial<OwnershipRow> {
  const code = pick(random, CODES);
  const late = random(12) === 0 ? random(900) : random(3);
  return {
    code,
    acquiredDisposed: ['P', 'A', 'M'].includes(code) ? 'A' : 'D',
    transactionDate: addDays(filed, -late),
    shares: String(1 + random(500)),
    pricePerShare: random(6) === 0 ? null : '10.00',
  };
}

/** Each issuer's rows are reconciled alone, and some of them do not stand. */
function randomTrades(random: Random): Trade[] {
  const forms = Array.from({ length: FORMS }, (_, number) => {
    const filed = filedOn(random);
    const form = form4({
      number,
      filed,
      periodOfReport: filed,
      is10b51: random(4) === 0,
      issuer: { cik: random(3) === 0 ? ISSUER : cikOf(random(30)), name: 'ISSUER', symbol: 'SYM' },
      owners: [reportingOwner(random(20)), ...(random(9) === 0 ? [reportingOwner(50)] : [])],
      rows: Array.from({ length: 1 + random(3) }, () => rowIn(random, filed)),
    });
    const acceptedAt = random(10) === 0 ? null : `${filed}T1${random(10)}:0${random(10)}:00Z`;
    return { ...form, header: { ...form.header, acceptedAt } };
  });
  const issuers = [...new Set(forms.map(({ issuer }) => issuer.cik))];
  return issuers.flatMap((cik) =>
    allRowsOf(
      forms.filter(({ issuer }) => issuer.cik === cik),
      AS_OF,
    ),
  );
}

const EVERYTHING: TradeQuery = {
  ...{ issuerCik: null, reportingOwnerCik: null, codes: 'all', side: null, since: null, until: null },
  ...{ asOf: AS_OF, minValueCents: null, excludePlanned: false, withoutLines: [] },
};

function queryIn(random: Random): TradeQuery {
  const maybe = <T>(share: number, value: T): T | null => (random(share) === 0 ? value : null);
  const since = maybe(3, addDays(AS_OF, -pick(random, [random(10), random(60), random(2_500), 130_000])));
  const until = maybe(3, addDays(since ?? AS_OF, since === null ? -random(1_500) : random(90)));
  return {
    issuerCik: maybe(5, ISSUER),
    reportingOwnerCik: maybe(6, cikOf(900_000 + random(20))),
    codes: pick(random, ['all', ['P', 'S'], ['P', 'S'], [pick(random, CODES)], ['A', 'F', 'P']] as const),
    side: maybe(5, pick(random, ['buy', 'sell', 'other'] as const)),
    since,
    until,
    asOf: AS_OF,
    minValueCents: maybe(5, BigInt(random(500_000))),
    excludePlanned: random(5) === 0,
    withoutLines: [],
  };
}

/** As the interface describes the filters, without anything that is stored for them. */
function isAskedFor(trade: Trade, query: TradeQuery): boolean {
  const { filing, owners, placedOn, valueCents } = trade;
  const code = trade.row.code ?? '';
  const side = code === 'P' ? 'buy' : code === 'S' ? 'sell' : 'other';
  return (
    isListed(trade) &&
    (query.issuerCik === null || filing.issuer.cik === query.issuerCik) &&
    (query.reportingOwnerCik === null || owners.some(({ cik }) => cik === query.reportingOwnerCik)) &&
    (query.codes === 'all' || query.codes.includes(code)) &&
    (query.side === null || side === query.side) &&
    (query.since === null || placedOn >= query.since) &&
    (query.until === null || placedOn <= query.until) &&
    (query.minValueCents === null || (valueCents !== null && valueCents >= query.minValueCents)) &&
    !(query.excludePlanned && filing.is10b51 === true)
  );
}

/** Newest filed first; of a day those of unknown time last; then accession descending, then row. */
function compareListed(a: Trade, b: Trade): number {
  const [one, other] = [a, b].map(({ filing: { header } }) => [
    header.acceptedAt ?? header.filedDate,
    header.accession,
  ]);
  for (const at of [0, 1]) {
    const [x = '', y = ''] = [one?.[at], other?.[at]];
    if (x !== y) return x < y ? 1 : -1;
  }
  return a.row.row - b.row.row;
}

const world = opened(openWorld);
const random = randomOf(20_201_126);
const trades = randomTrades(random);

beforeAll(async () => {
  await ensureIndexes(world.mongo.db);
  const docs = trades.map((trade) => {
    const content = contentOf(trade);
    const issuerCik = trade.filing.issuer.cik;
    return { _id: trade.id, issuerCik, version: 1, digest: contentDigest(content), ...content };
  });
  await tradesIn(world.mongo.db).insertMany(docs);
});

describe('a page of any filter', () => {
  test('is that of all trades in memory, filtered and sorted', { tags: ['long'] }, async () => {
    let isEmpty = 0;
    for (let turn = 0; turn < QUERIES; turn += 1) {
      const query = queryIn(random);
      const [limit, page] = [1 + random(30), random(4)];
      const matching = trades.filter((trade) => isAskedFor(trade, query)).sort(compareListed);
      const found = await listTrades(world.mongo.db, query, { skip: page * limit, limit, most: MOST });
      const ids = found.trades.map(({ item }) => JSON.parse(item).transaction_id);
      const expected = matching.slice(page * limit, (page + 1) * limit).map(({ id }) => id);
      expect({ query, ids }).toEqual({ query, ids: expected });
      const { total, isLowerBound } = found;
      expect({ query, total, isLowerBound }).toEqual({
        query,
        total: Math.min(matching.length, MOST),
        isLowerBound: matching.length > MOST,
      });
      if (expected.length === 0) isEmpty += 1;
    }
    expect(isEmpty).toBeLessThan(QUERIES / 2);
  });

  test.each(['0001-01-05', '1700-01-01'])('since %s ends, although nothing matches', async (since) => {
    const query = { ...EVERYTHING, issuerCik: cikOf(99), since: since as IsoDate };
    const page = { skip: 0, limit: 50, most: MOST };
    const nothing = { trades: [], total: 0, isLowerBound: false };
    expect(await listTrades(world.mongo.db, query, page)).toEqual(nothing);
    const ofNobody = { ...EVERYTHING, codes: ['Z'], since: since as IsoDate };
    expect(await listTrades(world.mongo.db, ofNobody, page)).toEqual(nothing);
    const old = { ...EVERYTHING, since: since as IsoDate, until: '1800-01-01' as IsoDate };
    expect(await listTrades(world.mongo.db, old, page)).toEqual(nothing);
  });
});
