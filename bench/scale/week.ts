import { BSON, type Db } from 'mongodb';
import { addDays } from '../../src/domain/calendar.ts';
import type { IsoDate, Ticker } from '../../src/domain/ids.ts';
import { currentBrief } from '../../src/read/brief/brief.ts';
import { currentBriefsIn } from '../../src/store/publish/current-briefs.ts';
import { NEXT_DAY } from './again.ts';
import type { Loaded } from './loaded.ts';
import { cpuOf } from './probe.ts';
import { settle } from './settle.ts';

const DAYS = 7;
/** Tickers that somebody asks for on the first of the days with readers. */
const ASKED = 20;

export type Week = {
  /** Of the database before, and what the days added while nobody asked for a brief. */
  readonly bytes: number;
  readonly added: number;
  /** CPU of one of these days. */
  readonly dayMs: number;
  readonly built: number;
  readonly asked: number;
  /** Built ahead on the day after somebody asked, and what each added. */
  readonly builtAhead: number;
  readonly bytesEach: number;
};

/** Turns the day of a market that gets no filings: seven times without readers, then once after some. */
export async function measureWeek(loaded: Loaded): Promise<Week> {
  const { db, now } = loaded.pipeline.context;
  const days = Array.from({ length: DAYS + 2 }, (_, at) => addDays(NEXT_DAY, at + 1));
  const before = await storedBytes(db);
  const since = now().toISOString();
  let cpuMs = 0;
  for (const day of days.slice(0, DAYS)) cpuMs += await turnDay(loaded, day);
  const built = await builtSince(db, since);
  const after = await storedBytes(db);
  const tickers = await askedTickers(db);
  await turnDay(loaded, days[DAYS] ?? NEXT_DAY);
  for (const ticker of tickers) await currentBrief(db, ticker, now);
  const shown = await storedBytes(db);
  const later = now().toISOString();
  await turnDay(loaded, days[DAYS + 1] ?? NEXT_DAY);
  const builtAhead = await builtSince(db, later);
  return {
    ...{ bytes: before, added: after - before, dayMs: cpuMs / DAYS, built },
    ...{ asked: tickers.length, builtAhead },
    bytesEach: ((await storedBytes(db)) - shown) / Math.max(1, builtAhead),
  };
}

async function turnDay({ pipeline, probe }: Loaded, asOf: IsoDate): Promise<number> {
  const { context } = pipeline;
  const turned = { ...context, config: { ...context.config, asOf } };
  return cpuOf((await probe(() => settle(turned, (_job, work) => work()))).spent);
}

function builtSince(db: Db, at: string): Promise<number> {
  return currentBriefsIn(db).countDocuments({ at: { $gte: at } });
}

async function askedTickers(db: Db): Promise<Ticker[]> {
  const current = await currentBriefsIn(db)
    .find()
    .sort({ managersObserved: -1, _id: 1 })
    .limit(ASKED)
    .toArray();
  return current.map(({ _id }) => _id);
}

/** BSON of all documents, without indexes. */
async function storedBytes(db: Db): Promise<number> {
  let bytes = 0;
  for (const { name } of await db.listCollections().toArray()) {
    for await (const doc of db.collection(name).find()) bytes += BSON.calculateObjectSize(doc);
  }
  return bytes;
}
