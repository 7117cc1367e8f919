import type { Binary, Collection, Db } from 'mongodb';
import { type Codec, PLAIN, pack, unpack } from './pack.ts';
import { insertNew } from './write.ts';

/** A list in documents of some rows each. `_id` is `<list>|<page>`; a list never changes. */
type PageDoc = { _id: string; rows: Binary };

export type Range = { readonly from: number; readonly count: number };

export type Pages<T> = {
  readonly collection: (db: Db) => Collection<PageDoc>;
  /** Returns the number of pages. Writing the same list twice changes nothing. */
  readonly write: (db: Db, list: string, rows: readonly T[]) => Promise<number>;
  /** The rows of each page; pages that do not exist are left out. */
  readonly readEach: (db: Db, ids: readonly string[]) => Promise<Map<string, T[]>>;
  /** The rows of the pages in the order of their ids. Pages that do not exist have none. */
  readonly read: (db: Db, ids: readonly string[]) => Promise<T[]>;
  /** Rows `[from, from + count)` of a list of `total`, empty past its end; null when a page is missing. */
  readonly readRange: (db: Db, list: { id: string; total: number }, range: Range) => Promise<T[] | null>;
  readonly drop: (db: Db, ids: readonly string[]) => Promise<void>;
};

export function pageIds(list: string, count: number): string[] {
  return Array.from({ length: count }, (_, page) => `${list}|${String(page).padStart(4, '0')}`);
}

/** @param codec of a row; rows that are JSON already need none */
export function pagesIn<T>(collection: string, size: number, codec: Codec<T> | null = null): Pages<T> {
  const { encode, decode } = codec ?? (PLAIN as unknown as Codec<T>);
  const docsIn = (db: Db): Collection<PageDoc> => db.collection<PageDoc>(collection);
  const readEach = async (db: Db, ids: readonly string[]): Promise<Map<string, T[]>> => {
    if (ids.length === 0) return new Map();
    const docs = await docsIn(db)
      .find({ _id: { $in: [...ids] } })
      .toArray();
    return new Map(docs.map(({ _id, rows }) => [_id, unpack<unknown[]>(rows).map(decode)]));
  };
  const read = async (db: Db, ids: readonly string[]): Promise<T[]> => {
    const rows = await readEach(db, ids);
    return ids.flatMap((id) => rows.get(id) ?? []);
  };
  return {
    collection: docsIn,
    readEach,
    read,
    async write(db, list, rows) {
      const ids = pageIds(list, Math.ceil(rows.length / size));
      const docs = ids.map((_id, page) => ({
        _id,
        rows: pack(rows.slice(page * size, (page + 1) * size).map(encode)),
      }));
      await insertNew(docsIn(db), docs);
      return ids.length;
    },
    async readRange(db, { id, total }, { from, count }) {
      const wanted = Math.max(0, Math.min(count, total - from));
      if (wanted === 0) return [];
      const first = Math.floor(from / size);
      const last = Math.floor((from + wanted - 1) / size);
      const rows = await read(db, pageIds(id, last + 1).slice(first));
      const found = rows.slice(from - first * size, from - first * size + wanted);
      return found.length === wanted ? found : null;
    },
    async drop(db, ids) {
      if (ids.length > 0) await docsIn(db).deleteMany({ _id: { $in: [...ids] } });
    },
  };
}
