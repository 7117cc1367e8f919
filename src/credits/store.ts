import type { Redis } from 'ioredis';
import type { Db } from 'mongodb';
import type { Logger } from '../log.ts';

/** Where credits are kept: the records in MongoDB, the balances in Redis under a hash tag. */
export type CreditStore = {
  readonly db: Db;
  readonly redis: Redis;
  readonly tag: string;
  readonly now: () => Date;
  /** Where a balance that was stopped or rebuilt is reported. */
  readonly log?: Pick<Logger, 'error'>;
};

/** What a process has open, as far as credits need it. */
export type CreditContext = {
  readonly config: { readonly creditsTag: string };
  readonly db: Db;
  readonly creditsRedis: Redis;
  readonly now: () => Date;
  readonly log: Logger;
};

export function creditStoreOf({ config, db, creditsRedis: redis, now, log }: CreditContext): CreditStore {
  return { db, redis, tag: config.creditsTag, now, log };
}
