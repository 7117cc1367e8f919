import type { Db } from 'mongodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { reconcileIssuer, reconcileIssuers } from '../../src/derive/insider/writer.ts';
import { cikOf } from '../../src/domain/brief/brief.sample.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import { publishAsOf } from '../../src/store/filing/settings.ts';
import { invalidate, listPending } from '../../src/store/invalidation/invalidations.ts';
import { invalidateNaming } from '../../src/store/invalidation/named-filings.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { tradeRunsIn } from '../../src/store/trade/run.ts';
import { openWorld, type World } from '../world.ts';
import { rowsOf, storeForm } from './issuer-forms.ts';
import { breaking, type Draw, formIn, orBroken, random } from './issuer-market.ts';

const ISSUERS = [1, 2, 3, 4, 5].map(cikOf);

let together: World;
let alone: World;
beforeEach(async () => {
  [together, alone] = await Promise.all([openWorld(), openWorld()]);
  for (const { mongo } of [together, alone]) {
    await ensureIndexes(mongo.db);
    await publishAsOf(mongo.db, '2020-06-30' as IsoDate);
  }
});
afterEach(() => Promise.all([together.close(), alone.close()]));

const databases = (): Db[] => [together, alone].map(({ mongo }) => mongo.db);

/** Forms arrive, or are read again as ones of other issuers; of some issuers anything may have changed. */
async function step(draw: Draw): Promise<void> {
  for (let left = 1 + draw(6); left > 0; left -= 1) {
    const number = draw(30);
    const form = formIn(draw, number);
    const issuer = ISSUERS[draw(6) === 0 ? draw(ISSUERS.length) : number % ISSUERS.length] ?? cikOf(1);
    const { accession } = form.header;
    const isWhole = draw(12) === 0;
    for (const db of databases()) {
      await storeForm(db, { ...form, issuer: { ...form.issuer, cik: issuer } }, 'parsed', issuer);
      // An issuer that had the form before is named too.
      await invalidateNaming(db, 'backfill', new Map(ISSUERS.map((one) => [one, [accession]])));
      if (isWhole) await invalidate(db, 'insider', [issuer]);
    }
  }
}

/** All that a reconciliation writes, but for versions, times and runs. */
async function stateOf(db: Db) {
  const lines = await db
    .collection<{ _id: string; lines: { line: string }[] }>('trade_lines')
    .find()
    .sort({ _id: 1 })
    .toArray();
  return {
    rows: await rowsOf(db),
    lines: lines.map((doc) => [doc._id, doc.lines.map(({ line }) => line).sort()]),
    pending: await listPending(db, 'insider', 100),
  };
}

test.each(['a', 'b'])(
  'issuers that are reconciled together have what each has alone, market %s',
  async (seed) => {
    const draw = random(seed);
    for (let turn = 0; turn < 25; turn += 1) {
      await step(draw);
      if (draw(4) === 0)
        await reconcileIssuers(breaking(together.mongo.db, draw(2)), ISSUERS).catch(orBroken);
      await reconcileIssuers(together.mongo.db, ISSUERS);
      for (const cik of ISSUERS) await reconcileIssuer(alone.mongo.db, cik);
      const [one, other] = await Promise.all(databases().map(stateOf));
      expect(one).toEqual(other);
    }
  },
);

test('an issuer of which a later version has begun is left out, and the others are reconciled', async () => {
  const { db } = together.mongo;
  const [first, second] = ISSUERS;
  if (first === undefined || second === undefined) throw new Error('there are issuers');
  const draw = random('later');
  for (const [at, cik] of [first, second].entries()) {
    const form = { ...formIn(draw, at), isAmendment: false };
    await storeForm(db, { ...form, issuer: { ...form.issuer, cik } }, 'parsed', cik);
  }
  await invalidate(db, 'insider', [first, second]);
  await tradeRunsIn(db).insertOne({ _id: first, version: 9, open: [] });
  await reconcileIssuers(db, [first, second]);
  expect(new Set((await rowsOf(db)).map(({ issuerCik }) => issuerCik))).toEqual(new Set([second]));
});
