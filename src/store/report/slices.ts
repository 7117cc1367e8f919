import type { Db } from 'mongodb';
import { batches, groupBy } from '../../domain/group.ts';
import type { Cusip, QuarterEnd } from '../../domain/ids.ts';
import { deleteByIds, findByIds } from '../mongo/lists.ts';
import { type Codec, listText } from '../mongo/pack.ts';
import { insertNew } from '../mongo/write.ts';
import {
  type DigestKey,
  keyOf,
  looseId,
  type RowText,
  rowsOfSegments,
  type SegmentDoc,
  type StoredText,
  securityOf,
  sliceOf,
} from './segment.ts';

/**
 * The rows of reports by security: one document per (bucket of the CUSIP, quarter, manager, digest).
 * A large report writes a tenth of the documents that one per row would cost, no document grows with
 * the number of managers, and a quarter is read by slices (bucket, quarter). Documents never
 * change: a report switches to another digest, and readers keep the rows of the digest that it shows.
 */
export type SliceDoc = LooseDoc | SegmentDoc;

/** The rows of one report. */
export type LooseDoc = {
  _id: string;
  slice: string;
  rows: string;
  /** `<cusip>|<quarter end>` of each row: its index finds no other security. */
  securities: string[];
};

export type Sliced<Row> = Row & DigestKey;

/** Slices that are read at once: memory holds their documents, and the rows of one of them. */
const SLICES_AT_ONCE = 4;

/** What finds the rows of one security. */
export type SlicedRows<Row> = {
  readonly ofSecurity: (db: Db, cusip: Cusip, quarterEnd: QuarterEnd) => Promise<Sliced<Row>[]>;
  readonly ofReports: (db: Db, cusip: Cusip, reports: readonly DigestKey[]) => Promise<Sliced<Row>[]>;
};

type Layout<Row> = {
  readonly bucketOf: (cusip: string) => string;
  /** A tuple whose first field is the CUSIP: the rows of one security are found without decoding the others. */
  readonly codec: Codec<Row>;
};

export function slicesOf<Row extends { readonly cusip: Cusip }>(collection: string, layout: Layout<Row>) {
  const { bucketOf, codec } = layout;
  const slicesIn = (db: Db) => db.collection<SliceDoc>(collection);
  const textsOf = (rows: readonly Row[]): RowText[] =>
    rows.map((row) => ({ cusip: row.cusip, json: JSON.stringify(codec.encode(row)) }));
  const docsOf = (key: DigestKey, rows: readonly RowText[]): LooseDoc[] =>
    [...groupBy(rows, ({ cusip }) => bucketOf(cusip))].map(([bucket, own]) => ({
      _id: documentId(bucket, key),
      slice: sliceOf(bucket, key.quarterEnd),
      rows: listText(own.map(({ json }) => json)),
      securities: securitiesOf(own, key.quarterEnd),
    }));
  const insert = async (db: Db, docs: readonly LooseDoc[]): Promise<void> => {
    await insertNew(slicesIn(db), docs);
  };
  return {
    collection: slicesIn,
    /** The rows as they are stored. */
    textsOf,
    /** The documents of a report, for `insert`. */
    docsOf,
    /** Inserting the same digest twice, or at the same time as another worker, changes nothing. */
    insert,
    write: (db: Db, key: DigestKey, rows: readonly Row[]): Promise<void> =>
      insert(db, docsOf(key, textsOf(rows))),
    /** The same rows for segments, by slice. */
    storedTexts(key: DigestKey, rows: readonly RowText[]): [slice: string, own: StoredText[]][] {
      return [...groupBy(rows, ({ cusip }) => bucketOf(cusip))].map(([bucket, own]) => {
        const id = documentId(bucket, key);
        return [sliceOf(bucket, key.quarterEnd), own.map(({ cusip, json }) => ({ id, cusip, json }))];
      });
    },
    /** Removes the rows of a digest that no reader needs any more. */
    async drop(db: Db, key: DigestKey, buckets: Iterable<string>): Promise<void> {
      const ids = [...buckets].map((bucket) => documentId(bucket, key));
      await deleteByIds(slicesIn(db), ids);
    },
    /** All rows of reports that no segment has. */
    async ofKeys(db: Db, keys: readonly DigestKey[], buckets: readonly string[]): Promise<Sliced<Row>[]> {
      const ids = keys.flatMap((key) => buckets.map((bucket) => documentId(bucket, key)));
      return allOf(rowsIn(await findByIds(slicesIn(db), ids), codec));
    },
    /** All rows of whole buckets in a quarter, or those of some securities, under every digest that is stored. */
    async *read(
      db: Db,
      buckets: readonly string[],
      quarterEnd: QuarterEnd,
      cusips?: ReadonlySet<Cusip>,
    ): AsyncGenerator<Sliced<Row>> {
      const slices = buckets.map((bucket) => sliceOf(bucket, quarterEnd));
      for (const some of batches(slices, SLICES_AT_ONCE)) {
        yield* rowsIn(slicesIn(db).find({ slice: { $in: [...some] } }), codec, cusips);
      }
    },
    /** The rows of one security in a quarter, under every digest that is stored: a document for each holder. */
    async ofSecurity(db: Db, cusip: Cusip, quarterEnd: QuarterEnd): Promise<Sliced<Row>[]> {
      const found = slicesIn(db).find(
        { securities: securityOf(cusip, quarterEnd) },
        { projection: { slice: 1, rows: 1, segment: 1 } },
      );
      return allOf(rowsIn(found, codec, new Set([cusip])));
    },
    /** The same for chosen reports under chosen digests: by exact ids, else in the segments of the security. */
    async ofReports(db: Db, cusip: Cusip, reports: readonly DigestKey[]): Promise<Sliced<Row>[]> {
      const bucket = bucketOf(cusip);
      const ids = reports.map((report) => documentId(bucket, report));
      const docs = await findByIds(slicesIn(db), ids);
      const loose = await allOf(rowsIn(docs, codec, new Set([cusip])));
      const stored = new Set(docs.map(({ _id }) => _id));
      const missing = new Set(ids.filter((id) => !stored.has(id)));
      const quarters = new Set(reports.map(({ quarterEnd }) => quarterEnd));
      const sealed = missing.size === 0 ? [] : await sealedRows(db, cusip, [...quarters]);
      return [...loose, ...sealed.filter((row) => missing.has(documentId(bucket, row)))];
    },
  };

  async function sealedRows(db: Db, cusip: Cusip, quarters: readonly QuarterEnd[]): Promise<Sliced<Row>[]> {
    const found: Sliced<Row>[] = [];
    for (const quarterEnd of quarters) {
      const segments = { securities: securityOf(cusip, quarterEnd), segment: { $exists: true } };
      found.push(...(await allOf(rowsIn(slicesIn(db).find(segments), codec, new Set([cusip])))));
    }
    return found;
  }
}

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/**
 * The rows of the documents, of all securities or of some. A row that stands alone and in segments is one
 * row: a quarter is being sealed, or a report shows rows again that it showed when it was sealed.
 */
async function* rowsIn<Row extends object>(
  docs: AsyncIterable<SliceDoc> | Iterable<SliceDoc>,
  codec: Codec<Row>,
  cusips?: ReadonlySet<Cusip>,
): AsyncGenerator<Sliced<Row>> {
  const alone = new Set<string>();
  const segments: SegmentDoc[] = [];
  for await (const doc of docs) {
    if ('segment' in doc) {
      segments.push(doc);
      continue;
    }
    alone.add(doc._id);
    yield* rowsOf(doc, codec, cusips);
  }
  for (const { id, row } of rowsOfSegments(segments, cusips)) {
    if (!alone.has(id)) yield Object.assign(codec.decode(row), keyOf(id));
  }
}

function rowsOf<Row extends object>(
  doc: Pick<LooseDoc, '_id' | 'rows'>,
  codec: Codec<Row>,
  cusips?: ReadonlySet<Cusip>,
): Sliced<Row>[] {
  const [first] = cusips ?? [];
  if (cusips?.size === 1 && !doc.rows.includes(first as Cusip)) return [];
  const rows = JSON.parse(doc.rows) as [Cusip, ...unknown[]][];
  const wanted = cusips === undefined ? rows : rows.filter(([own]) => cusips.has(own));
  const key = keyOf(doc._id);
  return wanted.map((row) => Object.assign(codec.decode(row), key));
}

const securitiesOf = (rows: readonly { readonly cusip: Cusip }[], quarterEnd: QuarterEnd): string[] => [
  ...new Set(rows.map(({ cusip }) => securityOf(cusip, quarterEnd))),
];

const documentId = (bucket: string, key: DigestKey): string => looseId(sliceOf(bucket, key.quarterEnd), key);
