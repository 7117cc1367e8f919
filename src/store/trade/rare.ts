import { type Db, type Filter, MongoServerError } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import { type TradeDoc, tradesIn } from './trades.ts';

/** So many are read whole and sorted here. */
const FEW = 10_000;

/** Ends before the caller's own deadline. */
const READ = { maxTimeMS: 2_500 };
const COUNT_MS = 1_000;
/** Code of MongoDB. */
const MAX_TIME_EXPIRED = 50;

type Match = { readonly $match: Filter<TradeDoc> };

/**
 * The ids of all trades that match, in the order of the list; null when more than a few trades have such a value,
 * and more than a few are placed on such days. The list alone would be read nearly to its end for them.
 */
export async function rareTrades(db: Db, matching: readonly Match[]): Promise<string[] | null> {
  const { valueCents, placedOn }: Filter<TradeDoc> = Object.assign(
    {},
    ...matching.map(({ $match }) => $match),
  );
  const bounds = [valueCents && { valueCents }, placedOn && { placedOn }];
  for (const bound of bounds) {
    if (!bound || !(await areFew(db, bound))) continue;
    // A simpler planner goes by the first stage.
    const stages = [{ $match: bound }, ...matching, { $project: { order: 1 } }];
    const found = await tradesIn(db).aggregate<Pick<TradeDoc, '_id' | 'order'>>(stages, READ).toArray();
    return found.sort((a, b) => compare(b.order, a.order)).map(({ _id }) => _id);
  }
  return null;
}

/** Not known within a second is not few: while its index is built after an upgrade, the list is read instead. */
async function areFew(db: Db, bound: Filter<TradeDoc>): Promise<boolean> {
  const stages = [{ $match: bound }, { $limit: FEW + 1 }, { $count: 'n' }];
  try {
    const counted = tradesIn(db).aggregate<{ n: number }>(stages, { maxTimeMS: COUNT_MS });
    const [count] = await counted.toArray();
    return Number(count?.n ?? 0) <= FEW;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === MAX_TIME_EXPIRED) return false;
    throw error;
  }
}
