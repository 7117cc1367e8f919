import { z } from 'zod';
import { loadScript } from '../../redis-script.ts';
import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';

const runExposure = loadScript(new URL('exposure.lua', import.meta.url));

/** Reading so many entries takes Redis less than a millisecond. */
const MAX_ENTRIES = 1_000;

/** Credits that count as at risk, and those that the log has. The two are equal. */
export type Counted = { readonly counted: number; readonly inLog: number };

const reply = z.array(z.int());

/**
 * What counts as at risk (rule 12.6) of all organisations together and of each given one, beside what the log has,
 * read in one step. Null while the log is long.
 * @param repair whether what counts is set to what the log has
 */
export async function compareExposure(
  { redis, tag }: CreditStore,
  orgIds: readonly string[],
  { repair }: { readonly repair: boolean },
): Promise<{ readonly all: Counted; readonly of: ReadonlyMap<string, Counted> } | null> {
  const keys = redisKeys(tag);
  const names = [keys.log, keys.exposure, ...orgIds.map(keys.org)];
  const found = await runExposure(redis, names, [String(MAX_ENTRIES), repair ? '1' : '0', ...orgIds]);
  if (found === null) return null;
  const [all = NOTHING, ...each] = pairs(reply.parse(found));
  return { all, of: new Map(orgIds.map((orgId, at) => [orgId, each[at] ?? NOTHING])) };
}

const NOTHING: Counted = { counted: 0, inLog: 0 };

function pairs(values: readonly number[]): Counted[] {
  return values.flatMap((counted, at) => (at % 2 === 0 ? [{ counted, inLog: values[at + 1] ?? 0 }] : []));
}
