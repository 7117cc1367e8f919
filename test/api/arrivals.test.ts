import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { openArrivals } from '../../src/api/cache/listen.ts';
import { eventsIn } from '../../src/store/filing/events.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const world = opened(openWorld);

test('one reading of the stream wakes all that wait for its event, also who read an older page, and no other', async () => {
  const { db } = world.mongo;
  const arrivals = await openArrivals(db, world.credits, 'events');
  const woken: number[] = [];
  const gone = new Socket();
  const wait = (head: number, seq: number, socket = new Socket()) =>
    arrivals
      .wait({ head, matches: (event) => Number(event._id) === seq }, { socket, ms: 3_600_000 })
      .then(() => void woken.push(seq));
  const others = [wait(2, 1), wait(0, 9, gone)];
  const all = Array.from({ length: 200 }, (_, at) => wait(at % 2, 2));
  await eventsIn(db).insertMany([{ _id: 1 }, { _id: 2 }] as never);
  await world.credits.publish('events', '');
  await Promise.all(all);
  expect(woken).toEqual(all.map(() => 2));
  gone.destroy();
  await expect.poll(() => woken.at(-1), { timeout: 30_000 }).toBe(9);
  arrivals.close();
  await Promise.all(others);
  expect(woken.slice(200)).toEqual([9, 1]);
});
