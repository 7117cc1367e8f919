import { redisKeys } from '../credits/redis-keys.ts';
import type { CreditStore } from '../credits/store.ts';
import { sha256Hex } from '../domain/canonical.ts';
import type { Session } from './sessions.ts';

/** Ends before the charge is forgotten, so that nothing opens as paid and is charged. */
const KEPT_SECONDS = 570;

/** A page of a visitor. */
export type PageOf = { readonly session: Session; readonly path: string };

/** The tokens with which visitors pay for a page, in Redis for as long as it opens again for nothing. */
export function openPaidTokens({ redis, tag }: CreditStore) {
  const nameOf = ({ session, path }: PageOf) =>
    redisKeys(tag).paidPage(sha256Hex(`${session.token}|${path}`));
  return {
    find: (page: PageOf): Promise<string | null> => redis.get(nameOf(page)),
    /** Before a charge: the token that stands for the page, which is this one if it is the first. */
    async standing(page: PageOf, token: string): Promise<string> {
      const isFirst = (await redis.set(nameOf(page), token, 'EX', KEPT_SECONDS, 'NX')) === 'OK';
      return isFirst ? token : ((await redis.get(nameOf(page))) ?? token);
    },
    /** The charge stands: from now on it is kept for the whole time. */
    async keep(page: PageOf, token: string): Promise<void> {
      await redis.set(nameOf(page), token, 'EX', KEPT_SECONDS);
    },
    async forget(page: PageOf): Promise<void> {
      await redis.del(nameOf(page));
    },
  };
}
