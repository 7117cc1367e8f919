import { expect, test } from 'vitest';
import { PEERS_METHOD } from '../../src/derive/peers/input.ts';
import { followMethod } from '../../src/derive/peers/peers-followers.ts';
import type { QuarterEnd } from '../../src/domain/ids.ts';
import { saveSetting, settingOf } from '../../src/store/filing/settings.ts';
import { listPending, settleInvalidation } from '../../src/store/invalidation/invalidation.ts';
import { peerVerdictsIn } from '../../src/store/peers/corporate-actions.ts';
import { LATEST, PRIOR } from '../api/stock-corpus.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { peersDoc } from './peers-doc.ts';

const world = opened(openWorld);

async function answered(quarterEnd: QuarterEnd): Promise<void> {
  await peerVerdictsIn(world.mongo.db).insertOne(peersDoc(quarterEnd, []));
}

test('quarters that were computed by another method are invalidated once', async () => {
  const { db } = world.mongo;
  await saveSetting(db, 'peers_method', 'peers.v0');
  await answered(PRIOR);
  await answered(LATEST);
  await followMethod(db);
  const marked = await listPending(db, 'peers', 10);
  expect(marked.map(({ key }) => key).sort()).toEqual([PRIOR, LATEST]);
  for (const { key, version } of marked) await settleInvalidation(db, 'peers', key, Number(version));
  await followMethod(db);
  expect(await listPending(db, 'peers', 10)).toEqual([]);
  expect(await settingOf(db, 'peers_method')).toBe(PEERS_METHOD);
});
