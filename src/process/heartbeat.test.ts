import type { Db } from 'mongodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from '../log.ts';
import { keepHeartbeat } from './health.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-22T12:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A MongoDB with these heartbeats, which can be told to answer nothing any more. */
function mongo(found: readonly object[] = []) {
  const asked: string[] = [];
  let isSilent = false;
  const answer = (name: string) => async (filter: { _id: string }) => {
    asked.push(`${name} ${filter._id}`);
    if (isSilent) await new Promise(() => undefined);
  };
  const find = () => ({ sort: () => ({ toArray: async () => found }) });
  const collection = () => ({ find, updateOne: answer('save'), deleteOne: answer('remove') });
  return {
    asked,
    silence: () => {
      isSilent = true;
    },
    context: {
      db: { collection } as unknown as Db,
      log: createLogger('silent', 'test'),
      now: () => new Date(),
    },
  };
}

const judge = async () => ({ problems: [] });

test('a MongoDB that hangs gets one beat and not one more every ten seconds, and holds up no end', async () => {
  const { context, asked, silence } = mongo();
  const { close } = await keepHeartbeat(context, { role: 'api', judge });
  silence();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(asked).toHaveLength(2);
  let isClosed = false;
  const closed = close().then(() => {
    isClosed = true;
  });
  await vi.advanceTimersByTimeAsync(3_000);
  expect(isClosed).toBe(true);
  await closed;
});

test('a start removes what a machine left that has been silent for a day', async () => {
  const beat = { host: 'replaced-container', pid: 1 };
  const { context, asked } = mongo([
    { ...beat, _id: 'old', at: new Date('2026-11-21T11:00:00Z') },
    { ...beat, _id: 'late', at: new Date('2026-11-22T11:00:00Z') },
  ]);
  const { close } = await keepHeartbeat(context, { role: 'api', judge });
  expect(asked.filter((name) => name.startsWith('remove'))).toEqual(['remove old']);
  await close();
});

test('two workers of one host name and one process number, as containers may have, keep a beat each', async () => {
  const { context, asked } = mongo();
  const first = await keepHeartbeat(context, { role: 'worker', about: 'live', judge });
  const second = await keepHeartbeat(context, { role: 'worker', about: 'heavy', judge });
  expect(new Set(asked.filter((name) => name.startsWith('save'))).size).toBe(2);
  await Promise.all([first.close(), second.close()]);
});
