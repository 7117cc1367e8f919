import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Accession, Cik, Ticker } from '../../src/domain/ids.ts';
import { showBrief } from '../../src/read/brief/brief.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { briefsIn } from '../../src/store/publish/briefs.ts';
import { currentBriefsIn } from '../../src/store/publish/current-briefs.ts';
import { apple, LATEST, publish, STATE, seedSymbols, show } from '../api/stock-corpus.ts';
import { discoveredDoc } from '../filings/doc.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { interruptedDb } from './interrupted.ts';

const AAPL = 'AAPL' as Ticker;
const AT = '2018-12-03T12:00:00.000Z';

const world = opened(openWorld);
beforeAll(async () => {
  await seedSymbols(world.mongo.db);
  await show(world.mongo.db, 1, { [LATEST]: [apple(1_000n, 200n)] });
  const report = discoveredDoc('0000000001-18-001809' as Accession, '13F-HR');
  await filingsIn(world.mongo.db).insertOne({ ...report, cik: '0000000001' as Cik, state: 'parsed' });
}, 60_000);
beforeEach(async () => {
  for (const name of ['briefs', 'current_briefs', 'corpus']) await db().collection(name).deleteMany({});
});

const db = () => world.mongo.db;

/** Publishes a corpus with other failures, of which the brief says the count. */
const fail = (thirteenF: number) => publish(db(), { quarantined: { ...STATE.quarantined, thirteenF } });

async function shown(version: number): Promise<string> {
  return (await showBrief(db(), AAPL, { version, at: AT })).brief.briefId;
}

async function replacedBy(_id: string): Promise<string | undefined> {
  return (await briefsIn(db()).findOne({ _id }))?.superseded?.by;
}

test('each brief notes the one that replaced it (rule 8.10)', async () => {
  const ids: string[] = [];
  for (const version of [1, 2, 3]) {
    await fail(version);
    ids.push(await shown(version));
  }
  const [first = '', second = '', third = ''] = ids;
  expect([await replacedBy(first), await replacedBy(second)]).toEqual([second, third]);
  expect(await replacedBy(third)).toBeUndefined();
  expect(await currentBriefsIn(db()).countDocuments({ replaced: { $exists: true } })).toBe(0);
});

test('a run that died before it noted what it replaced leaves that to the next build (rule 8.10)', async () => {
  await fail(1);
  const first = await shown(1);
  await fail(2);
  const dying = interruptedDb(db(), {
    before: async ({ collection, name }) => {
      if (collection === 'briefs' && name === 'updateOne') throw new Error('dead');
    },
  });
  await expect(showBrief(dying, AAPL, { version: 2, at: AT })).rejects.toThrow('dead');
  expect(await replacedBy(first)).toBeUndefined();
  const second = await shown(2);
  expect(await replacedBy(first)).toBe(second);
});

test('runs that show briefs at once lose none of what these replaced (rule 8.10)', async () => {
  await fail(1);
  const first = await shown(1);
  await fail(2);
  let isShown = false;
  const slow = interruptedDb(db(), {
    after: async ({ collection, name }) => {
      if (isShown || collection !== 'briefs' || name !== 'updateMany') return;
      isShown = true;
      await fail(3);
      await shown(3);
    },
  });
  const { brief } = await showBrief(slow, AAPL, { version: 2, at: AT });
  const last = await currentBriefsIn(db()).findOne({ _id: AAPL });
  expect(await replacedBy(first)).toBe(brief.briefId);
  expect(await replacedBy(brief.briefId)).toBe(last?.briefId);
  expect(await currentBriefsIn(db()).countDocuments({ replaced: { $exists: true } })).toBe(0);
});

test('a run notes what was replaced by one that died between two of its own commands (rule 8.10)', async () => {
  await fail(1);
  const first = await shown(1);
  await fail(2);
  const [atShow, mayShow] = [openGate(), openGate()];
  const dying = interruptedDb(db(), {
    before: async ({ collection, name }) => {
      if (collection === 'briefs' && name === 'updateOne') throw new Error('dead');
      if (name !== 'findOneAndUpdate') return;
      atShow.open();
      await mayShow.opened;
    },
  });
  const dead = expect(showBrief(dying, AAPL, { version: 2, at: AT })).rejects.toThrow('dead');
  await atShow.opened;
  await fail(3);
  let second = '';
  const slow = interruptedDb(db(), {
    before: async ({ name }) => {
      if (name !== 'findOneAndUpdate') return;
      mayShow.open();
      await dead;
      second = (await currentBriefsIn(db()).findOne({ _id: AAPL }))?.briefId ?? '';
    },
  });
  const { brief } = await showBrief(slow, AAPL, { version: 3, at: AT });
  expect([await replacedBy(first), await replacedBy(second)]).toEqual([second, brief.briefId]);
});

function openGate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
