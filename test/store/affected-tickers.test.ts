import { expect, it } from 'vitest';
import { affectedTickers } from '../../jobs/reference.ts';
import { APPLE, GOOGL } from '../../src/domain/filing/filing.sample.ts';
import { fails } from '../../src/domain/security/mapping.sample.ts';
import { invalidateBriefs } from '../../src/store/invalidation/invalidate.ts';
import { noteHeld } from '../../src/store/report/holdings.ts';
import { saveMappings } from '../../src/store/security/securities.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const world = opened(openWorld);

const GOOG = fails('GOOG', '02079K107', { on: '2018-11-15', name: 'ALPHABET INC CAP STK CL C' });

it('a file that names one class reaches the briefs of the other, which is resolved by it (rule 3.5)', async () => {
  const { db } = world.mongo;
  const others = [
    fails('GOOGL', GOOGL, { on: '2018-11-15', name: 'ALPHABET INC CAP STK CL A' }),
    fails('AAPL', APPLE, { on: '2018-11-15', name: 'APPLE INC' }),
  ];
  await saveMappings(db, [GOOG, ...others]);
  expect(await affectedTickers(db, [GOOG])).toEqual([]);
  await invalidateBriefs(db, ['GOOGL' as never]);
  expect(await affectedTickers(db, [GOOG])).toEqual(['GOOGL']);
});

it('also where managers hold the other one only', async () => {
  const { db } = world.mongo;
  await noteHeld(db, [GOOGL]);
  await saveMappings(db, [fails('GOOGB', GOOGL, { on: '2018-11-15', name: 'ALPHABET INC CAP STK CL A' })]);
  expect((await affectedTickers(db, [GOOG])).sort()).toEqual(['GOOGB', 'GOOGL']);
});
