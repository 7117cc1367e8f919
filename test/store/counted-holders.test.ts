import type { Binary } from 'mongodb';
import { beforeEach, expect, test } from 'vitest';
import { withdrawReport } from '../../src/derive/report/compare-reports.ts';
import {
  countHolders,
  holdersInputs,
  noteHoldersFollowed,
  saveHolders,
  uncounted,
} from '../../src/derive/search/holders.ts';
import { APPLE } from '../../src/domain/filing/filing.sample.ts';
import type { Cusip } from '../../src/domain/ids.ts';
import { isHeld } from '../../src/domain/report/shown-quarter.ts';
import {
  type HolderTally,
  heldIn,
  noteHolder,
  type QuarterHolders,
} from '../../src/domain/search/holders.ts';
import { pack, unpack } from '../../src/store/mongo/pack.ts';
import { partOfSecurity, SECURITY_PARTS } from '../../src/store/publish/search-index.ts';
import { fundsIn } from '../../src/store/report/funds.ts';
import { positions } from '../../src/store/report/positions.ts';
import { reportsIn } from '../../src/store/report/reports.ts';
import { apple, google, LATEST, PRIOR, show } from '../api/stock-corpus.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const world = opened(openWorld, beforeEach);

/** From the positions by security, where the columns are made from the rows by manager. */
async function counted() {
  const { db } = world.mongo;
  const funds = await fundsIn(db).find({ reportedThrough: LATEST }).toArray();
  const last = new Set(funds.map(({ _id }) => _id));
  const tally: HolderTally = new Map();
  const reports = await reportsIn(db).find({ quarterEnd: LATEST }).toArray();
  const securities = await positions.collection(db).distinct('securities');
  for (const cusip of new Set(securities.map((security) => security.split('|')[0] as Cusip))) {
    const rows = await positions.ofReports(db, cusip, reports);
    for (const { issuer, cik } of rows.filter(isHeld)) {
      noteHolder(tally, { cusip, issuer, isLast: last.has(cik) });
    }
  }
  return heldIn(tally, LATEST);
}

async function ofAllParts() {
  const { db } = world.mongo;
  const parts = await countHolders(db, await holdersInputs(db, LATEST), SECURITY_PARTS);
  return [...parts.values()].flat().sort((a, b) => (a.cusip < b.cusip ? -1 : 1));
}

test('holders are those of the reports shown now, after reports changed, came and went', async () => {
  const { db } = world.mongo;
  await show(db, 1, { [PRIOR]: [apple(10n, 2n)], [LATEST]: [apple(25n, 5n), google()] });
  await show(db, 2, { [PRIOR]: [google()], [LATEST]: [google()] });
  expect(await ofAllParts()).toEqual(await counted());
  await show(db, 2, { [PRIOR]: [google()], [LATEST]: [apple(10n, 2n)] });
  await show(db, 3, { [LATEST]: [apple(10n, 2n)] });
  const all = await counted();
  expect(all.map(({ holders }) => holders)).toEqual([1, 3]);
  expect(await ofAllParts()).toEqual(all);
  await withdrawReport(db, { cik: '0000000003' as never, quarterEnd: LATEST }, 9);
  expect(await ofAllParts()).toEqual(await counted());
});

test('an equal count has its part not written again, unless that was never done', async () => {
  const { db } = world.mongo;
  await show(db, 1, { [LATEST]: [apple(25n, 5n)] });
  const key = { part: partOfSecurity(APPLE), quarterEnd: LATEST };
  const save = async (version: number) => {
    const inputs = await holdersInputs(db, LATEST);
    const held = (await countHolders(db, inputs, [key.part])).get(key.part) ?? [];
    return saveHolders(db, [{ ...key, held, version, at: '', inputs: inputs.digest }]);
  };
  const isCounted = async () => (await uncounted(db, [key], await holdersInputs(db, LATEST))).length === 0;
  expect(await save(1)).toHaveLength(1);
  const changed = await save(2);
  expect(changed.map(({ part }) => part)).toEqual([key.part]);
  expect(await isCounted()).toBe(false);
  await noteHoldersFollowed(db, changed);
  expect(await isCounted()).toBe(true);
  expect(await save(3)).toEqual([]);
  expect(await isCounted()).toBe(true);
  await show(db, 2, { [LATEST]: [apple(1n, 1n)] });
  expect(await isCounted()).toBe(false);
  expect(await save(4)).toHaveLength(1);
});

test('a part that another process wrote in between is written again, though its count is that of the last time', async () => {
  const { db } = world.mongo;
  await show(db, 1, { [LATEST]: [apple(25n, 5n)] });
  const part = partOfSecurity(APPLE);
  const save = async (version: number) => {
    const inputs = await holdersInputs(db, LATEST);
    const held = (await countHolders(db, inputs, [part])).get(part) ?? [];
    const key = { part, quarterEnd: LATEST, version, at: '', inputs: inputs.digest };
    const changed = await saveHolders(db, [{ ...key, held }]);
    await noteHoldersFollowed(db, changed);
    return changed.length;
  };
  const stored = db.collection<{ _id: string; held: Binary }>('search_holders');
  const counts = async () =>
    unpack<QuarterHolders[]>((await stored.findOne())?.held as Binary).map(({ holders }) => holders);
  expect([await save(1), await save(2)]).toEqual([1, 0]);
  await stored.updateOne({}, { $set: { held: pack([]) } });
  expect(await save(3)).toBe(1);
  expect(await counts()).toEqual([1]);
  await show(db, 2, { [LATEST]: [apple(1n, 1n)] });
  expect(await save(4)).toBe(1);
  expect(await counts()).toEqual([2]);
});
