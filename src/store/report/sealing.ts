import { randomUUID } from 'node:crypto';
import type { Binary, Db } from 'mongodb';
import { groupBy } from '../../domain/group.ts';
import type { Cik, Cusip, QuarterEnd } from '../../domain/ids.ts';
import { AppError } from '../../errors.ts';
import { dataSetsInState } from '../filing/data-sets.ts';
import { deleteByIds, findAmong } from '../mongo/lists.ts';
import { pack, unpack } from '../mongo/pack.ts';
import { insertNew, JOURNALED } from '../mongo/write.ts';
import { positions } from './positions.ts';
import { shownDigests } from './reports.ts';
import {
  type DigestKey,
  keyOf,
  type RowText,
  rowsOfSegments,
  type SegmentDoc,
  type StoredRow,
  type StoredText,
  segmentsOf,
  sliceOf,
} from './segment.ts';
import type { LooseDoc, SliceDoc } from './slices.ts';

/** How far a quarter is sealed, and since when (ISO 8601 UTC). */
export type SealDoc = {
  _id: QuarterEnd;
  /** `imported`: only imports have written segments. */
  state: 'imported' | 'written' | 'sealed';
  at: string;
  /** `[cik, digest]` of each report that was shown when its segments were written, packed. */
  shown: Binary;
  /** Since when each writer of segments is at work that shows its reports later; absent before the first. */
  writers?: Record<string, Date>;
};

const sealsIn = (db: Db) => db.collection<SealDoc>('sealed_quarters');

export function sealOf(db: Db, quarterEnd: QuarterEnd): Promise<SealDoc | null> {
  return sealsIn(db).findOne({ _id: quarterEnd });
}

/** Whether the rows of the reports shown may be in segments alone. */
export async function isSealed(db: Db, quarterEnd: QuarterEnd): Promise<boolean> {
  return (await sealsIn(db).countDocuments({ _id: quarterEnd }, { limit: 1 })) > 0;
}

/** The segments of a quarter are written, and have the rows of these reports. */
export async function noteWritten(db: Db, _id: QuarterEnd, at: string, shown: ReadonlyMap<Cik, string>) {
  const fields = { state: 'written', at, shown: pack([...shown]) } as const;
  await sealsIn(db).updateOne({ _id }, { $set: fields }, { upsert: true });
}

/** An import has written segments of the quarter. It stays to be sealed, and a sealed one stays sealed. */
async function noteImported(db: Db, _id: QuarterEnd, at: string): Promise<void> {
  const fields = { state: 'imported', at, shown: pack([]) } as const;
  await sealsIn(db).updateOne({ _id }, { $setOnInsert: fields }, { upsert: true });
}

/** What the segments replace is removed. */
export async function noteSealed(db: Db, _id: QuarterEnd, at: string): Promise<void> {
  await sealsIn(db).updateOne({ _id }, { $set: { state: 'sealed', at } });
}

/** The share of a quarter's reports, 0 to 1, that show other rows than when it was sealed. */
export function shareChanged(seal: SealDoc, shown: ReadonlyMap<Cik, string>): number {
  const sealed = new Map(unpack<[Cik, string][]>(seal.shown));
  const changed = [...shown].filter(([cik, digest]) => sealed.get(cik) !== digest).length;
  return shown.size === 0 ? 0 : changed / shown.size;
}

/** A writer that is silent for so long has died, and shows nothing any more. */
const WRITER_MS = 15 * 60_000;
/** After half of that it must not show anything. */
const WRITING_MS = WRITER_MS / 2;

/** Collects positions of the reports of some sealed quarters. */
export type SegmentWriter = {
  readonly has: (quarterEnd: QuarterEnd) => boolean;
  readonly add: (key: DigestKey, rows: readonly RowText[]) => void;
  readonly write: (db: Db) => Promise<void>;
};

/**
 * Calls `work`, which writes segments of sealed quarters and then shows their reports. The quarters know of it
 * meanwhile, so that no run removes segments whose reports are not shown yet. Without quarters it writes none.
 */
export async function withSegmentWriter<T>(
  db: Db,
  quarters: readonly QuarterEnd[],
  work: (segments: SegmentWriter) => Promise<T>,
): Promise<T> {
  const [writer, started] = [randomUUID(), Date.now()];
  const segments = collectedSegments(writer);
  const field = `writers.${writer}`;
  for (const _id of quarters) await sealsIn(db).updateOne({ _id }, { $set: { [field]: new Date() } });
  const answer = await work({
    has: (quarterEnd) => quarters.includes(quarterEnd),
    add: segments.add,
    write: async () => {
      await segments.write(db);
      if (quarters.length === 0 || Date.now() - started < WRITING_MS) return;
      throw new AppError('segments_late', 'segments were written too slowly to be shown', { retry: true });
    },
  });
  // One that fails stays noted until it counts as dead: its segments may be half written.
  for (const _id of quarters) await sealsIn(db).updateOne({ _id }, { $unset: { [field]: '' } });
  return answer;
}

/** What is at work now; what died is forgotten. */
async function writersOf(db: Db, quarterEnd: QuarterEnd): Promise<Set<string>> {
  const { writers = {} } = (await sealOf(db, quarterEnd)) ?? {};
  const dead = Date.now() - WRITER_MS;
  const left = Object.entries(writers).filter(([, since]) => since.getTime() <= dead);
  for (const [writer] of left)
    await sealsIn(db).updateOne({ _id: quarterEnd }, { $unset: { [`writers.${writer}`]: '' } });
  const gone = new Set(left.map(([writer]) => writer));
  return new Set(Object.keys(writers).filter((writer) => !gone.has(writer)));
}

/** Positions of the reports that an import computes. Written before any of the reports is shown. */
export function importedSegments(dataSet: string) {
  const segments = collectedSegments(dataSet);
  const quarters = new Set<QuarterEnd>();
  return {
    add(key: DigestKey, rows: readonly RowText[]): void {
      quarters.add(key.quarterEnd);
      segments.add(key, rows);
    },
    async write(db: Db, at: string): Promise<void> {
      for (const quarterEnd of quarters) await noteImported(db, quarterEnd, at);
      await segments.write(db);
    },
  };
}

/**
 * Positions of many reports, collected and written as segments at once: one document for each slice, and not
 * some hundred for each report.
 * @param dataSet what writes them: a data set, or another writer
 */
function collectedSegments(dataSet: string) {
  const bySlice = new Map<string, StoredText[]>();
  return {
    add(key: DigestKey, rows: readonly RowText[]): void {
      for (const [slice, own] of positions.storedTexts(key, rows)) {
        const stored = bySlice.get(slice);
        if (stored === undefined) bySlice.set(slice, own);
        else stored.push(...own);
      }
    },
    async write(db: Db): Promise<void> {
      const generation = randomUUID();
      const docs = [...bySlice].flatMap(([slice, rows]) => segmentsOf(slice, generation, rows));
      await insertNew(
        segmentsIn(db),
        docs.map((doc) => ({ ...doc, dataSet })),
      );
    },
  };
}

/**
 * Writes the rows that the reports of a quarter show into segments, for some buckets. The rows that stand
 * alone stay. Any number of runs at any time loses no row: a run removes only the segments that it read
 * before it read the digests shown, and whose rows it has written again. Those of an import that goes on, or
 * of another writer, stay too: it shows their reports after it has written them.
 */
export async function writeSegments(db: Db, quarterEnd: QuarterEnd, buckets: readonly string[]) {
  const docs = await docsOf(db, quarterEnd, buckets);
  // In this order: what an import that has ended shows is read after it has ended.
  const importing = (await dataSetsInState(db, 'importing')).map(({ _id }) => _id);
  const writing = new Set([...importing, ...(await writersOf(db, quarterEnd))]);
  const shown = await shownDigests(db, quarterEnd);
  const generation = randomUUID();
  for (const [slice, own] of groupBy(docs, (doc) => doc.slice)) {
    const rows = storedRows(own).filter(({ id }) => isShown(id, shown));
    const texts = rows.map(({ id, row }) => ({ id, cusip: row[0] as Cusip, json: JSON.stringify(row) }));
    await insertNew(segmentsIn(db), segmentsOf(slice, generation, texts), JOURNALED);
  }
  await deleteByIds(
    positions.collection(db),
    docs
      .filter(isSegment)
      .filter(({ dataSet }) => dataSet === undefined || !writing.has(dataSet))
      .map(({ _id }) => _id),
  );
}

/**
 * Removes the documents of single reports whose rows are in segments. Call it when every reader that may
 * have begun before the segments were there has ended.
 */
export async function dropSealed(db: Db, quarterEnd: QuarterEnd, buckets: readonly string[]): Promise<void> {
  const segments = (await docsOf(db, quarterEnd, buckets)).filter(isSegment);
  const ids = new Set([...rowsOfSegments(segments)].map(({ id }) => id));
  await deleteByIds(positions.collection(db), ids);
}

const segmentsIn = (db: Db) => db.collection<SegmentDoc>('positions');

function docsOf(db: Db, quarterEnd: QuarterEnd, buckets: readonly string[]): Promise<SliceDoc[]> {
  const values = buckets.map((bucket) => sliceOf(bucket, quarterEnd));
  return findAmong(positions.collection(db), { field: 'slice', values });
}

function isSegment(doc: SliceDoc): doc is SegmentDoc {
  return 'segment' in doc;
}

/** Each row once, whether it stands alone, in segments or in both. */
function storedRows(docs: readonly SliceDoc[]): StoredRow[] {
  const loose = docs.filter((doc): doc is LooseDoc => !isSegment(doc));
  const alone = new Set(loose.map(({ _id }) => _id));
  const rows = loose.flatMap(({ _id: id, rows }) =>
    (JSON.parse(rows) as unknown[][]).map((row) => ({ id, row })),
  );
  const sealed = [...rowsOfSegments(docs.filter(isSegment))].filter(({ id }) => !alone.has(id));
  return [...rows, ...sealed];
}

function isShown(id: string, shown: ReadonlyMap<Cik, string>): boolean {
  const { cik, digest } = keyOf(id);
  return shown.get(cik) === digest;
}
