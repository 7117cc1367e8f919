import type { Binary, Db } from 'mongodb';
import { batches } from '../../domain/group.ts';
import { deleteByIds, existingAmong, findByIds } from './lists.ts';
import { type Codec, PLAIN, packText, unpack } from './pack.ts';
import { insertNew } from './write.ts';

/** A list in documents of some rows each. `_id` is `<list>|<page>`; a list never changes. */
export type PageDoc = { _id: string; rows: Binary };

export type Range = { readonly from: number; readonly count: number };

export function pageIds(list: string, count: number): string[] {
  return Array.from({ length: count }, (_, page) => `${list}|${String(page).padStart(4, '0')}`);
}

/** @param codec of a row; rows that are JSON already need none */
export function pagesIn<T>(collection: string, size: number, codec = PLAIN as unknown as Codec<T>) {
  const { encode, decode } = codec;
  const docsIn = (db: Db) => db.collection<PageDoc>(collection);
  /** The rows of each page; pages that do not exist are left out. */
  const readEach = async (db: Db, ids: readonly string[]): Promise<Map<string, T[]>> => {
    const docs = await findByIds(docsIn(db), ids);
    return new Map(docs.map(({ _id, rows }) => [_id, unpack<unknown[]>(rows).map(decode)]));
  };
  /** The rows of the pages in the order of their ids. Pages that do not exist have none. */
  const read = async (db: Db, ids: readonly string[]): Promise<T[]> => {
    const rows = await readEach(db, ids);
    return ids.flatMap((id) => rows.get(id) ?? []);
  };
  const textsOf = (rows: readonly T[]): string[] =>
    [...batches(rows, size)].map((own) => JSON.stringify(own.map(encode)));
  const docsOfTexts = (list: string, texts: readonly string[]): PageDoc[] =>
    pageIds(list, texts.length).map((_id, page) => ({ _id, rows: packText(texts[page] ?? '') }));
  const docsOf = (list: string, rows: readonly T[]): PageDoc[] => docsOfTexts(list, textsOf(rows));
  const insert = async (db: Db, docs: readonly PageDoc[]): Promise<void> => {
    await insertNew(docsIn(db), docs);
  };
  return {
    /** The pages of a list, for `insert`. Inserting the same list twice changes nothing. */
    docsOf,
    /** The rows of each page as JSON, where the digest of the rows is to be of the same text… */
    textsOf,
    /** …and the pages of them. */
    docsOfTexts,
    insert,
    readEach,
    read,
    /** Those of the pages that exist. */
    existing: (db: Db, ids: readonly string[]): Promise<Set<string>> => existingAmong(docsIn(db), ids),
    /** Rows `[from, from + count)` of a list of `total`, empty past its end; null when a page is missing. */
    async readRange(db: Db, { id, total }: { id: string; total: number }, { from, count }: Range) {
      const wanted = Math.max(0, Math.min(count, total - from));
      if (wanted === 0) return [];
      const first = Math.floor(from / size);
      const last = Math.floor((from + wanted - 1) / size);
      const rows = await read(db, pageIds(id, last + 1).slice(first));
      const found = rows.slice(from - first * size, from - first * size + wanted);
      return found.length === wanted ? found : null;
    },
    async drop(db: Db, ids: readonly string[]): Promise<void> {
      await deleteByIds(docsIn(db), ids);
    },
  };
}
