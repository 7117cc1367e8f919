import type { Redis } from 'ioredis';
import type { Db } from 'mongodb';

/** Where credits are kept: the records in MongoDB, the balances in Redis under a hash tag. */
export type CreditStore = {
  readonly db: Db;
  readonly redis: Redis;
  readonly tag: string;
  readonly now: () => Date;
};

/** What a process has open, as far as credits need it. */
export type CreditContext = {
  readonly config: { readonly creditsTag: string };
  readonly db: Db;
  readonly creditsRedis: Redis;
  readonly now: () => Date;
};

export function creditStoreOf({ config, db, creditsRedis: redis, now }: CreditContext): CreditStore {
  return { db, redis, tag: config.creditsTag, now };
}
