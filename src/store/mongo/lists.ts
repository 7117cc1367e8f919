import type { Collection, Document, Filter, WithId } from 'mongodb';
import { batches } from '../../domain/group.ts';

/**
 * Most values of one `$in` list: the embedded engine compares each value of a list with every other.
 * On MongoDB a further list costs one more round trip.
 */
export const MAX_LIST = 100;

/** The values, each once, as conditions of at most {@link MAX_LIST} values. */
export function inLists<V>(values: Iterable<V>): { $in: V[] }[] {
  return [...batches([...new Set(values)], MAX_LIST)].map((list) => ({ $in: list }));
}

type Among<T> = {
  readonly field: keyof T & string;
  readonly values: Iterable<unknown>;
  /** What must hold besides. */
  readonly where?: Filter<T>;
  readonly projection?: Document;
};

/** The documents whose field has one of the values, in any order. The field is not an array. */
export async function findAmong<T extends Document>(
  collection: Collection<T>,
  { field, values, where = {}, projection = {} }: Among<T>,
): Promise<WithId<T>[]> {
  const found: WithId<T>[] = [];
  for (const list of inLists(values)) {
    const filter = { ...where, [field]: list } as Filter<T>;
    found.push(...(await collection.find(filter, { projection }).toArray()));
  }
  return found;
}

/**
 * An expression of every document, in any order: all in one document, because thousands of small ones cost a process
 * eight times as much. Text costs it a half to a third of what an object of several fields does.
 */
export async function eachOf<Value, T extends Document>(
  collection: Collection<T>,
  where: Filter<T>,
  expression: string | Document,
): Promise<Value[]> {
  const [found] = await collection
    .aggregate<{ values: Value[] }>([
      { $match: where },
      { $group: { _id: null, values: { $push: expression } } },
    ])
    .toArray();
  return found?.values ?? [];
}

/** The documents of exact ids, in any order. Ids without a document are left out. */
export async function findByIds<T extends { _id: string }>(
  collection: Collection<T>,
  ids: Iterable<string>,
  projection: Document = {},
): Promise<WithId<T>[]> {
  return findAmong(collection, { field: '_id', values: ids, projection });
}

/** Those of the ids that have a document. */
export async function existingAmong<T extends { _id: string }>(
  collection: Collection<T>,
  ids: Iterable<string>,
): Promise<Set<string>> {
  const docs = await findByIds(collection, ids, { _id: 1 });
  return new Set(docs.map(({ _id }) => String(_id)));
}

export async function deleteByIds<T extends { _id: string }>(
  collection: Collection<T>,
  ids: Iterable<string>,
) {
  for (const list of inLists(ids)) await collection.deleteMany({ _id: list } as Filter<T>);
}
