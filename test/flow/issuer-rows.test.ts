import { createHash } from 'node:crypto';
import type { Db } from 'mongodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { turnAsOf } from '../../src/derive/corpus/as-of.ts';
import { reconcileIssuer, rowsAround } from '../../src/derive/insider/writer.ts';
import { accessionNo, form4, ISSUER, reportingOwner } from '../../src/domain/brief/brief.sample.ts';
import { addDays } from '../../src/domain/calendar.ts';
import type { Ownership, OwnershipRow } from '../../src/domain/filing/filing.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import { publishAsOf } from '../../src/store/filing/settings.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import {
  invalidateNaming,
  pendingFilings,
  settleFilings,
} from '../../src/store/invalidation/named-filings.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { runs } from '../runs.ts';
import { openWorld, type World } from '../world.ts';
import { rowsOf, storeForm as store } from './issuer-forms.ts';

const AS_OF = '2020-06-30' as IsoDate;
/** The last two are implausible: their rows are placed by the period of report. */
const DAYS = [...Array.from({ length: 9 }, (_, at) => `2020-03-0${at + 1}`), '2021-01-01', '1919-03-03'];
const FILED = ['2020-03-09', '2020-03-10', '2020-03-12', '2020-07-01'];

let changed: World;
let whole: World;
beforeEach(async () => {
  [changed, whole] = await Promise.all([openWorld(), openWorld()]);
  await Promise.all([changed, whole].map(({ mongo }) => ensureIndexes(mongo.db)));
});
afterEach(() => Promise.all([changed.close(), whole.close()]));

/** Numbers that follow from the seed, below `most`. */
function random(seed: string): (most: number) => number {
  let turn = 0;
  return (most) => {
    turn += 1;
    return createHash('sha256').update(`${seed}|${turn}`).digest().readUInt32BE(0) % most;
  };
}

type Draw = ReturnType<typeof random>;

const pick = <T>(draw: Draw, all: readonly T[]): T => all[draw(all.length)] as T;

function rowIn(draw: Draw): Partial<OwnershipRow> {
  const code = pick(draw, ['P', 'P', 'S', 'M', 'A']);
  return {
    table: pick(draw, ['non_derivative', 'non_derivative', 'derivative']),
    securityTitle: pick(draw, ['Common Stock', 'Class B Common Stock']),
    transactionDate: draw(40) === 0 ? null : (pick(draw, DAYS) as IsoDate),
    code,
    acquiredDisposed: code === 'S' ? 'D' : 'A',
    shares: pick(draw, ['100', '100.004', '150']),
    pricePerShare: pick(draw, ['10', '10.004', '11', null]),
    sharesOwnedAfter: pick(draw, ['1000', '1100', null]),
  };
}

/** A small market, so that forms restate, repeat and join each other all the time. */
function formIn(draw: Draw, number: number): Ownership {
  const isAmendment = draw(3) === 0;
  const owners = [reportingOwner(1 + draw(4)), ...(draw(4) === 0 ? [reportingOwner(5)] : [])];
  return form4({
    number,
    isAmendment,
    filed: pick(draw, FILED),
    periodOfReport: pick(draw, DAYS) as IsoDate,
    dateOfOriginalSubmission: isAmendment && draw(2) === 0 ? (pick(draw, FILED) as IsoDate) : null,
    schemaVersion: draw(4) === 0 ? null : 'X0306',
    owners,
    rows: Array.from({ length: 1 + draw(3) }, () => rowIn(draw)),
  });
}

/** A form arrives, is read again as something else, or cannot be read any more; or the day turns. */
async function step(draw: Draw): Promise<void> {
  if (draw(8) === 0) {
    const day = pick(draw, [AS_OF, '2020-07-02', '2020-03-07']) as IsoDate;
    for (const { mongo } of [changed, whole]) await turnAsOf(mongo.db, day, { mayGoBack: true });
    return;
  }
  const count = 1 + draw(3);
  const forms = Array.from({ length: count }, () => formIn(draw, draw(14)));
  const state = draw(6) === 0 ? 'quarantined' : 'parsed';
  for (const form of forms) {
    for (const { mongo } of [changed, whole]) await store(mongo.db, form, state);
  }
  const named = forms.map(({ header }) => header.accession);
  await invalidateNaming(changed.mongo.db, 'live', new Map([[ISSUER, named]]));
  await invalidate(whole.mongo.db, 'insider', [ISSUER]);
}

/** The same database, whose rows are written by so many commands whole, and by half of the next, which breaks. */
function breaking(db: Db, commands: number): Db {
  let begun = 0;
  const collection = (name: string) => {
    const rows = db.collection(name);
    if (name !== 'trades') return rows;
    const write = rows.bulkWrite.bind(rows);
    rows.bulkWrite = async (operations, options) => {
      begun += 1;
      if (begun <= commands) return write(operations, options);
      const half = operations.slice(0, Math.floor(operations.length / 2));
      if (half.length > 0) await write(half, options).catch(() => undefined);
      throw new Error('broken on purpose');
    };
    return rows;
  };
  return { collection, databaseName: db.databaseName } as unknown as Db;
}

async function reconcileChanged(draw: Draw): Promise<void> {
  const { db } = changed.mongo;
  if (draw(3) === 0) await reconcileIssuer(breaking(db, draw(3)), ISSUER).catch(orBroken);
  await reconcileIssuer(db, ISSUER);
}

function orBroken(error: unknown): void {
  if (!(error instanceof Error) || error.message !== 'broken on purpose') throw error;
}

test.each(['a', 'b', 'c'])(
  'rows around changed forms are as if all forms were read, market %s',
  { tags: ['property'] },
  async (seed) => {
    const draw = random(seed);
    for (const { mongo } of [changed, whole]) await publishAsOf(mongo.db, AS_OF);
    for (let turn = 0; turn < runs(40); turn += 1) {
      await step(draw);
      if (draw(4) === 0) continue;
      await reconcileChanged(draw);
      await invalidate(whole.mongo.db, 'insider', [ISSUER]);
      await reconcileIssuer(whole.mongo.db, ISSUER);
      expect(await rowsOf(changed.mongo.db)).toEqual(await rowsOf(whole.mongo.db));
    }
  },
);

test('one more form of an issuer reads the forms of its days, and what it reads again the days that it had', async () => {
  const { db } = changed.mongo;
  await publishAsOf(db, AS_OF);
  const traded = (number: number, day: number): Ownership => {
    const transactionDate = addDays('2019-01-01' as IsoDate, day);
    return form4({ number, owners: [reportingOwner(number)], rows: [{ transactionDate }] });
  };
  for (let number = 0; number < 60; number += 1)
    await store(db, traded(number, Math.floor(number / 2)), 'parsed');
  await invalidate(db, 'insider', [ISSUER]);
  await reconcileIssuer(db, ISSUER);
  const around = async (form: Ownership) => {
    await store(db, form, 'parsed');
    const { forms, ids } = await rowsAround(db, ISSUER, [form.header.accession]);
    return { read: forms.length, ids: ids.size };
  };
  expect(await around(traded(100, 7))).toEqual({ read: 3, ids: 3 });
  expect(await around(traded(20, 7))).toEqual({ read: 4, ids: 4 });
});

test('a run that died before it wrote the rows of a day that a form left is repeated for that day', async () => {
  const { db } = changed.mongo;
  const original = (transactionDate: string): Ownership =>
    form4({ number: 1, rows: [{ transactionDate: transactionDate as IsoDate }] });
  const amendment = form4({ number: 2, isAmendment: true, filed: '2020-03-10', rows: [{ shares: '150' }] });
  await publishAsOf(db, AS_OF);
  for (const form of [original('2020-03-02'), amendment]) await store(db, form, 'parsed');
  await invalidate(db, 'insider', [ISSUER]);
  await reconcileIssuer(db, ISSUER);
  const amends = async () => (await rowsOf(db)).map(({ item }) => JSON.parse(item ?? '').amendment.amends);
  expect(await amends()).toEqual([null, original('').header.accession]);
  await store(db, original('2020-03-03'), 'parsed');
  await invalidateNaming(db, 'live', new Map([[ISSUER, [original('').header.accession]]]));
  await expect(reconcileIssuer(breaking(db, 1), ISSUER)).rejects.toThrow('broken on purpose');
  await reconcileIssuer(db, ISSUER);
  expect(await amends()).toEqual([null, null]);
});

test('versions that did not all name their filings have every form read, and so do too many filings', async () => {
  const { db } = changed.mongo;
  const naming = (numbers: readonly number[]) =>
    invalidateNaming(db, 'live', new Map([[ISSUER, numbers.map((n) => accessionNo(n))]]));
  const pending = async () => (await pendingFilings(db, ISSUER))?.filings?.length ?? null;
  const settle = async () => {
    const { version } = (await pendingFilings(db, ISSUER)) ?? {};
    await settleFilings(db, ISSUER, version ?? 0);
  };
  await naming([1]);
  expect(await pending()).toBeNull();
  await settle();
  await naming([1]);
  await naming([1, 2]);
  expect(await pending()).toBe(2);
  await invalidate(db, 'insider', [ISSUER]);
  expect(await pending()).toBeNull();
  await naming([3]);
  expect(await pending()).toBeNull();
  await settle();
  await naming(Array.from({ length: 300 }, (_, n) => n));
  expect(await pending()).toBeNull();
});

test('a result of an earlier version leaves the filings that were named named', async () => {
  const { db } = changed.mongo;
  await invalidate(db, 'insider', [ISSUER]);
  await settleFilings(db, ISSUER, 1);
  for (const number of [1, 2]) await invalidateNaming(db, 'live', new Map([[ISSUER, [accessionNo(number)]]]));
  await settleFilings(db, ISSUER, 2);
  expect(await pendingFilings(db, ISSUER)).toEqual({ version: 3, filings: [accessionNo(1), accessionNo(2)] });
});
