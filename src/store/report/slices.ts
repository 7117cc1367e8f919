import type { Db } from 'mongodb';
import { groupBy } from '../../domain/group.ts';
import type { Cik, Cusip, QuarterEnd } from '../../domain/ids.ts';
import type { ReportKey } from '../filing/filings.ts';
import { deleteByIds, findByIds } from '../mongo/lists.ts';
import type { Codec } from '../mongo/pack.ts';
import { insertNew } from '../mongo/write.ts';

/** The rows of a report under one digest. */
export type DigestKey = ReportKey & { readonly digest: string };

/** A row as JSON, its CUSIP first: the digest of its report and what is stored are of this one text. */
export type RowText = { readonly cusip: Cusip; readonly json: string };

/**
 * The rows of reports by security: one document per (bucket of the CUSIP, quarter, manager, digest), a third of the
 * documents that one per row would be for a report of 350 rows. None grows with the number of managers.
 * Documents never change: a report switches to another digest, and readers keep the rows of the digest that it shows.
 */
export type SliceDoc = {
  /** `<bucket>|<quarter end>|<cik>|<digest>` */
  _id: string;
  /** Each row as JSON: one is read without the others. */
  rows: string[];
  /** `<cusip>|<quarter end>` of each row: its index finds no other security. */
  securities: string[];
};

export type Sliced<Row> = Row & DigestKey;

/** What finds the rows of one security. */
export type SlicedRows<Row> = {
  readonly ofSecurity: (db: Db, cusip: Cusip, quarterEnd: QuarterEnd) => Promise<Sliced<Row>[]>;
  readonly ofReports: (db: Db, cusip: Cusip, reports: readonly DigestKey[]) => Promise<Sliced<Row>[]>;
};

type Layout<Row> = {
  readonly bucketOf: (cusip: string) => string;
  /** A tuple whose first field is the CUSIP. */
  readonly codec: Codec<Row>;
};

export function slicesOf<Row extends { readonly cusip: Cusip }>(collection: string, layout: Layout<Row>) {
  const { bucketOf, codec } = layout;
  const slicesIn = (db: Db) => db.collection<SliceDoc>(collection);
  const textsOf = (rows: readonly Row[]): RowText[] =>
    rows.map((row) => ({ cusip: row.cusip, json: JSON.stringify(codec.encode(row)) }));
  const docsOf = (key: DigestKey, rows: readonly RowText[]): SliceDoc[] =>
    [...groupBy(rows, ({ cusip }) => bucketOf(cusip))].map(([bucket, own]) => ({
      _id: idOf(bucket, key),
      rows: own.map(({ json }) => json),
      securities: [...new Set(own.map(({ cusip }) => securityOf(cusip, key.quarterEnd)))],
    }));
  const rowsIn = (docs: readonly SliceDoc[], cusip?: Cusip): Sliced<Row>[] =>
    docs.flatMap((doc) => {
      const key = keyOf(doc._id);
      const own = cusip === undefined ? doc.rows : doc.rows.filter((row) => row.startsWith(`["${cusip}"`));
      return own.map((row) => Object.assign(codec.decode(JSON.parse(row)), key));
    });
  const idsOf = (keys: readonly DigestKey[], buckets: Iterable<string>): string[] =>
    [...buckets].flatMap((bucket) => keys.map((key) => idOf(bucket, key)));
  return {
    collection: slicesIn,
    /** The rows as they are stored. */
    textsOf,
    /** The documents of a report, for `insert`. */
    docsOf,
    /** Inserting the same digest twice, or at the same time as another worker, changes nothing. */
    async insert(db: Db, docs: readonly SliceDoc[]): Promise<void> {
      await insertNew(slicesIn(db), docs);
    },
    /** Removes the rows of a digest that no reader needs any more. */
    drop: (db: Db, key: DigestKey, buckets: Iterable<string>): Promise<void> =>
      deleteByIds(slicesIn(db), idsOf([key], buckets)),
    /** All rows of reports. */
    ofKeys: async (db: Db, keys: readonly DigestKey[], buckets: Iterable<string>): Promise<Sliced<Row>[]> =>
      rowsIn(await findByIds(slicesIn(db), idsOf(keys, buckets))),
    /** The rows of one security in a quarter, under every digest that is stored: a document for each holder. */
    ofSecurity: async (db: Db, cusip: Cusip, quarterEnd: QuarterEnd): Promise<Sliced<Row>[]> =>
      rowsIn(
        await slicesIn(db)
          .find({ securities: securityOf(cusip, quarterEnd) }, { projection: { rows: 1 } })
          .toArray(),
        cusip,
      ),
    /** The same for chosen reports under chosen digests, by exact ids. */
    ofReports: async (db: Db, cusip: Cusip, reports: readonly DigestKey[]): Promise<Sliced<Row>[]> =>
      rowsIn(await findByIds(slicesIn(db), idsOf(reports, [bucketOf(cusip)]), { rows: 1 }), cusip),
  };
}

const securityOf = (cusip: Cusip, quarterEnd: QuarterEnd): string => `${cusip}|${quarterEnd}`;

const idOf = (bucket: string, { cik, quarterEnd, digest }: DigestKey): string =>
  `${bucket}|${quarterEnd}|${cik}|${digest}`;

function keyOf(id: string): DigestKey {
  const [, quarterEnd, cik, digest] = id.split('|') as [string, QuarterEnd, Cik, string];
  return { cik, quarterEnd, digest };
}
