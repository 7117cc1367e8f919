import { afterEach, beforeEach, expect, test } from 'vitest';
import { turnAsOf } from '../../src/derive/corpus/as-of.ts';
import { rowsAround } from '../../src/derive/insider/issuer-rows.ts';
import { reconcileIssuer } from '../../src/derive/insider/writer.ts';
import { accessionNo, form4, ISSUER, reportingOwner } from '../../src/domain/brief/brief.sample.ts';
import { addDays } from '../../src/domain/calendar.ts';
import type { Ownership } from '../../src/domain/filing/filing.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import { publishAsOf } from '../../src/store/filing/settings.ts';
import { invalidate } from '../../src/store/invalidation/invalidations.ts';
import {
  invalidateNaming,
  pendingFilings,
  settleFilings,
} from '../../src/store/invalidation/named-filings.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { openWorld, type World } from '../world.ts';
import { rowsOf, storeForm as store } from './issuer-forms.ts';
import { breaking, type Draw, formIn, orBroken, pick, random } from './issuer-market.ts';

const AS_OF = '2020-06-30' as IsoDate;
let changed: World;
let whole: World;
beforeEach(async () => {
  [changed, whole] = await Promise.all([openWorld(), openWorld()]);
  await Promise.all([changed, whole].map(({ mongo }) => ensureIndexes(mongo.db)));
});
afterEach(() => Promise.all([changed.close(), whole.close()]));

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

async function reconcileChanged(draw: Draw): Promise<void> {
  const { db } = changed.mongo;
  if (draw(3) === 0) await reconcileIssuer(breaking(db, draw(3)), ISSUER).catch(orBroken);
  await reconcileIssuer(db, ISSUER);
}

test.each(['a', 'b', 'c'])(
  'rows around changed forms are as if all forms were read, market %s',
  async (seed) => {
    const draw = random(seed);
    for (const { mongo } of [changed, whole]) await publishAsOf(mongo.db, AS_OF);
    for (let turn = 0; turn < 40; turn += 1) {
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
  const pending = async () => (await pendingFilings(db, [ISSUER])).get(ISSUER)?.filings?.length ?? null;
  const settle = async () => {
    const { version } = (await pendingFilings(db, [ISSUER])).get(ISSUER) ?? {};
    await settleFilings(db, new Map([[ISSUER, version ?? 0]]));
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
  await settleFilings(db, new Map([[ISSUER, 1]]));
  for (const number of [1, 2]) await invalidateNaming(db, 'live', new Map([[ISSUER, [accessionNo(number)]]]));
  await settleFilings(db, new Map([[ISSUER, 2]]));
  const left = { version: 3, filings: [accessionNo(1), accessionNo(2)] };
  expect(await pendingFilings(db, [ISSUER])).toEqual(new Map([[ISSUER, left]]));
});
