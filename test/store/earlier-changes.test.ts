import { expect, it } from 'vitest';
import { quartersInForce } from '../../src/domain/change/restate.ts';
import { QUARTERS_IN_FORCE } from '../../src/domain/change/thresholds.ts';
import type { Cusip, QuarterEnd } from '../../src/domain/ids.ts';
import type { CusipChange } from '../../src/domain/peers/verdict.ts';
import { nextQuarterEnd } from '../../src/domain/quarter.ts';
import {
  corporateActionsOfQuarters,
  earlierChanges,
  peerVerdictsIn,
} from '../../src/store/peers/corporate-actions.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { peersDoc } from './peers-doc.ts';

const world = opened(openWorld);

/** More quarters than are kept in memory, from the first that was ever filed as text on. */
const QUARTERS: QuarterEnd[] = ['1999-03-31' as QuarterEnd];
while (QUARTERS.length < 110) QUARTERS.push(nextQuarterEnd(QUARTERS.at(-1) as QuarterEnd));

const changeIn = (quarterEnd: QuarterEnd): CusipChange => ({
  kind: 'cusip_change',
  cusip: `N${quarterEnd.slice(2).replaceAll('-', '')}00` as Cusip,
  from: `O${quarterEnd.slice(2).replaceAll('-', '')}00` as Cusip,
  factor: { numerator: 1n, denominator: 10n },
  votes: 5,
  compared: 5,
});

it('no change in force is lost when more quarters are compared than are kept in memory (rule 5.3)', async () => {
  const { db } = world.mongo;
  await peerVerdictsIn(db).insertMany(
    QUARTERS.map((quarterEnd) => peersDoc(quarterEnd, [changeIn(quarterEnd)])),
  );
  for (const quarterEnd of QUARTERS.slice(QUARTERS_IN_FORCE)) {
    const inForce = quartersInForce(quarterEnd);
    expect(await earlierChanges(db, quarterEnd)).toEqual(inForce.map(changeIn));
  }
  const together = await Promise.all(
    QUARTERS.slice(QUARTERS_IN_FORCE).map((quarterEnd) => earlierChanges(db, quarterEnd)),
  );
  expect(new Set(together.map((changes) => changes.length))).toEqual(new Set([QUARTERS_IN_FORCE]));
});

it('quarters with equal answers are kept once, and each is returned as itself', async () => {
  const { db } = world.mongo;
  const [first, second] = QUARTERS as [QuarterEnd, QuarterEnd];
  await peerVerdictsIn(db).updateMany({ _id: { $in: [first, second] } }, { $set: { digest: 'the same' } });
  for (let times = 0; times < 2; times += 1) {
    const known = await corporateActionsOfQuarters(db, [first, second]);
    expect(known.map(({ quarterEnd }) => quarterEnd)).toEqual([first, second]);
  }
});
