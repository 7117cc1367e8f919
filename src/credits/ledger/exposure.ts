import { z } from 'zod';
import { redisKeys } from '../redis-keys.ts';
import { loadScript } from '../script.ts';
import type { CreditStore } from '../store.ts';

const runExposure = loadScript(new URL('exposure.lua', import.meta.url));

/** Reading so many entries takes Redis less than a millisecond. */
const MAX_ENTRIES = 1_000;

/** Credits that count as at risk, and those that the log has. The two are equal. */
export type Counted = { readonly counted: number; readonly inLog: number };

const reply = z.tuple([z.int(), z.int(), z.int(), z.int()]);

/**
 * What counts as at risk (rule 12.6) of all organisations and of one, beside what the log has, read in one
 * step. Null while the log is long.
 * @param repair whether what counts is set to what the log has
 */
export async function compareExposure(
  { redis, tag }: CreditStore,
  orgId: string,
  { repair }: { readonly repair: boolean },
): Promise<{ readonly all: Counted; readonly org: Counted } | null> {
  const keys = redisKeys(tag);
  const names = [keys.log, keys.exposure, keys.org(orgId)];
  const found = await runExposure(redis, names, [orgId, String(MAX_ENTRIES), repair ? '1' : '0']);
  if (found === null) return null;
  const [exposure, total, und, ofOrg] = reply.parse(found);
  return { all: { counted: exposure, inLog: total }, org: { counted: und, inLog: ofOrg } };
}
