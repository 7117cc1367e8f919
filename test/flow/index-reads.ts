import { JOBS } from '../../jobs/index.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import { clearIndexAlarm, indexAlarms } from '../../src/store/filing/alarms.ts';
import { saveBackfill, saveIndexDays } from '../../src/store/filing/index-days.ts';
import { type Script, scriptedServer } from '../edgar/scripted-server.ts';
import { openFlow, openStages } from './flow.ts';
import { openFolder } from './folder.ts';

/** Mondays of early 2026 that were business days, then a Monday to read and the day before it. */
export const MONDAYS = ['2026-01-12', '2026-01-26', '2026-02-02'] as IsoDate[];
export const MONDAY = '2026-02-09' as IsoDate;
export const FRIDAY = '2026-02-06' as IsoDate;

export const HEAD = [
  'Description:           Daily Index of EDGAR Dissemination Feed',
  ' ',
  'CIK|Company Name|Form Type|Date Filed|File Name',
  '-'.repeat(80),
];

/** A constructed index with made-up Forms 4, by number. */
export function indexOf(day: IsoDate, numbers: readonly number[], title = HEAD): Buffer {
  const rows = numbers.map((n) => {
    const accession = `0009${day.slice(5).replace('-', '')}00-26-${String(n).padStart(6, '0')}`;
    return `${n}|SYNTHETIC ${n}|4|${day.replaceAll('-', '')}|edgar/data/${n}/${accession}.txt`;
  });
  return Buffer.from([...title, ...rows, ''].join('\n'));
}

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);

export type IndexReads = Awaited<ReturnType<typeof openIndexReads>>;

/** A pipeline whose EDGAR answers what a test says, on a clock that each read sets. */
export async function openIndexReads() {
  const folder = await openFolder({ accessions: [], symbols: [] });
  const flow = await openFlow(folder, '2026-02-10');
  const server = await scriptedServer();
  const stages = await openStages(flow, { edgarUrl: server.url });
  let now = new Date('2026-02-10T12:00:00.000Z');

  /** One read of a day from an EDGAR that is not local, on a clock of `on`: a day at noon in London, or a time. */
  async function read(day: IsoDate, bytes: Buffer, on = '2026-02-10', script?: Script): Promise<void> {
    now = new Date(on.length === 10 ? `${on}T12:00:00.000Z` : on);
    const send: Script = (_, response) =>
      response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
    server.play(script ?? send);
    const context: JobContext = {
      ...stages.context,
      edgar: { ...stages.context.edgar, isLocal: false },
      now: () => now,
    };
    await JOBS.reconcile(context, { date: day, run: 0 });
  }

  return {
    flow,
    server,
    stages,
    now: () => now,
    read,
    /** The Mondays count by what was noted of them: their filings stay away. Friday is read. */
    async readUsualDays(): Promise<void> {
      const at = now.toISOString();
      const noted = { status: 'reconciled', carried: 100, selection: false, at, read: null } as const;
      await saveIndexDays(
        flow.db,
        MONDAYS.map((_id) => ({ _id, ...noted })),
      );
      await saveBackfill(flow.db, { slot: 1, from: FRIDAY, through: MONDAY, days: [FRIDAY, MONDAY], at });
      await read(FRIDAY, indexOf(FRIDAY, upTo(100)));
    },
    async clear(): Promise<void> {
      for (const name of ['filings', 'index_days']) await flow.db.collection(name).deleteMany({});
      for (const { name } of await indexAlarms(flow.db)) await clearIndexAlarm(flow.db, name);
    },
    async close(): Promise<void> {
      await stages.close();
      await server.close();
      await flow.close();
      await folder.close();
    },
  };
}
