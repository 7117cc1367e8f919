import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Cusip } from '../../src/domain/ids.ts';
import { heldAmong, noteHeld } from '../../src/store/report/holdings.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const [APPLE, GM, TESLA] = ['037833100', '37045V100', '88160R101'] as [Cusip, Cusip, Cusip];

const world = opened(openWorld);
let client: MongoClient;
const inserts: { readonly into: string; readonly journaled: boolean }[] = [];

beforeAll(async () => {
  client = new MongoClient(world.env['MONGO_URL'] ?? '', { monitorCommands: true });
  client.on('commandStarted', ({ command }) => {
    if (command['insert'] === undefined) return;
    inserts.push({ into: command['insert'], journaled: command['writeConcern']?.j === true });
  });
});
afterAll(async () => {
  await client.close();
});

it('a document that a process remembers is journaled, and is written once', async () => {
  const db = client.db(world.config.mongoDb);
  await noteHeld(db, [APPLE]);
  await noteHeld(db, [APPLE, GM]);
  await noteHeld(db, [GM]);
  expect(inserts).toEqual([
    { into: 'held_cusips', journaled: true },
    { into: 'held_cusips', journaled: true },
  ]);
  expect((await heldAmong(db, [APPLE, GM, TESLA])).sort()).toEqual([APPLE, GM]);
});
