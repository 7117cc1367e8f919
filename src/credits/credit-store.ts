import type { Redis } from 'ioredis';
import type { Db } from 'mongodb';
import { generatedSecret } from '../config.ts';
import type { Context } from '../context.ts';
import { settingOnce } from '../store/filing/settings.ts';

/** Where credits are kept: the records in MongoDB, the balances in Redis under a hash tag. */
export type CreditStore = {
  readonly db: Db;
  readonly redis: Redis;
  readonly tag: string;
  readonly now: () => Date;
};

/** A store that can also make keys and vouchers: it has the pepper of their digests. */
export type KeyStore = CreditStore & { readonly pepper: string };

type Opened = Pick<Context, 'config' | 'db' | 'creditsRedis' | 'now'>;

export function creditStoreOf({ config, db, creditsRedis: redis, now }: Opened): CreditStore {
  return { db, redis, tag: config.creditsTag, now };
}

/** The pepper is the setting. Without one, it is made once for the installation and kept in MongoDB. */
export async function keyStoreOf(context: Opened): Promise<KeyStore> {
  const { config, db } = context;
  const pepper = config.keyPepper ?? (await settingOnce(db, 'key_pepper', generatedSecret));
  return { ...creditStoreOf(context), pepper };
}
