import type { Db } from 'mongodb';
import { groupBy } from '../../domain/group.ts';
import type { Cik, Cusip, QuarterEnd } from '../../domain/ids.ts';
import type { ReportKey } from '../filing/filings.ts';
import { deleteByIds, findByIds, inLists } from '../mongo/lists.ts';
import type { Codec } from '../mongo/pack.ts';
import { insertNew } from '../mongo/write.ts';

/**
 * The rows of reports by security: one document per (bucket of the CUSIP, quarter, manager, digest).
 * A large report writes a tenth of the documents that one per row would cost, no document grows with
 * the number of managers, and a quarter is read by slices (bucket, quarter). Documents never
 * change: a report switches to another digest, and readers keep the rows of the digest that it shows.
 */
export type SliceDoc = {
  _id: string;
  slice: string;
  rows: string;
  /** `<cusip>|<quarter end>` of each row: its index finds no other security. */
  securities: string[];
};

/** The rows of a report under one digest. */
export type DigestKey = ReportKey & { readonly digest: string };

export type Sliced<Row> = Row & DigestKey;

type Layout<Row> = {
  readonly bucketOf: (cusip: string) => string;
  /** A tuple whose first field is the CUSIP: the rows of one security are found without decoding the others. */
  readonly codec: Codec<Row>;
};

export function slicesOf<Row extends { readonly cusip: Cusip }>(collection: string, layout: Layout<Row>) {
  const { bucketOf, codec } = layout;
  const slicesIn = (db: Db) => db.collection<SliceDoc>(collection);
  return {
    collection: slicesIn,
    /** Writing the same digest twice, or at the same time as another worker, changes nothing. */
    async write(db: Db, key: DigestKey, rows: readonly Row[]): Promise<void> {
      const docs = [...groupBy(rows, ({ cusip }) => bucketOf(cusip))].map(([bucket, own]) => ({
        _id: documentId(bucket, key),
        slice: sliceOf(bucket, key.quarterEnd),
        rows: JSON.stringify(own.map(codec.encode)),
        securities: securitiesOf(own, key.quarterEnd),
      }));
      await insertNew(slicesIn(db), docs);
    },
    /** Removes the rows of a digest that no reader needs any more. */
    async drop(db: Db, key: DigestKey, buckets: Iterable<string>): Promise<void> {
      const ids = [...buckets].map((bucket) => documentId(bucket, key));
      await deleteByIds(slicesIn(db), ids);
    },
    /** All rows of whole buckets in a quarter, under every digest that is stored. */
    async *read(db: Db, buckets: readonly string[], quarterEnd: QuarterEnd): AsyncGenerator<Sliced<Row>> {
      const slices = buckets.map((bucket) => sliceOf(bucket, quarterEnd));
      for (const slice of inLists(slices)) {
        for await (const doc of slicesIn(db).find({ slice })) yield* rowsOf(doc, codec);
      }
    },
    /** The rows of one security in a quarter, under every digest that is stored: a document for each holder. */
    async ofSecurity(db: Db, cusip: Cusip, quarterEnd: QuarterEnd): Promise<Sliced<Row>[]> {
      const docs = await slicesIn(db)
        .find({ securities: securityOf(cusip, quarterEnd) }, { projection: { rows: 1 } })
        .toArray();
      return docs.flatMap((doc) => rowsOf(doc, codec, cusip));
    },
    /** The same for chosen reports under chosen digests, by exact ids. */
    async ofReports(db: Db, cusip: Cusip, reports: readonly DigestKey[]): Promise<Sliced<Row>[]> {
      const bucket = bucketOf(cusip);
      const ids = reports.map((report) => documentId(bucket, report));
      return (await findByIds(slicesIn(db), ids)).flatMap((doc) => rowsOf(doc, codec, cusip));
    },
  };
}

function rowsOf<Row extends object>(
  doc: Pick<SliceDoc, '_id' | 'rows'>,
  codec: Codec<Row>,
  cusip?: Cusip,
): Sliced<Row>[] {
  if (cusip !== undefined && !doc.rows.includes(cusip)) return [];
  const rows = JSON.parse(doc.rows) as unknown[][];
  const wanted = cusip === undefined ? rows : rows.filter(([own]) => own === cusip);
  const key = keyOf(doc._id);
  return wanted.map((row) => Object.assign(codec.decode(row), key));
}

const sliceOf = (bucket: string, quarterEnd: QuarterEnd): string => `${bucket}|${quarterEnd}`;

const securityOf = (cusip: Cusip, quarterEnd: QuarterEnd): string => `${cusip}|${quarterEnd}`;

const securitiesOf = (rows: readonly { readonly cusip: Cusip }[], quarterEnd: QuarterEnd): string[] => [
  ...new Set(rows.map(({ cusip }) => securityOf(cusip, quarterEnd))),
];

/** The same of a stored document, for a migration. */
export function securitiesIn({ _id, rows }: Pick<SliceDoc, '_id' | 'rows'>): string[] {
  const cusips = (JSON.parse(rows) as [Cusip][]).map(([cusip]) => ({ cusip }));
  return securitiesOf(cusips, keyOf(_id).quarterEnd);
}

const documentId = (bucket: string, key: DigestKey): string =>
  `${sliceOf(bucket, key.quarterEnd)}|${key.cik}|${key.digest}`;

function keyOf(id: string): DigestKey {
  const [, quarterEnd, cik, digest] = id.split('|') as [string, QuarterEnd, Cik, string];
  return { cik, quarterEnd, digest };
}
