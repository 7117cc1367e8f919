import { redisKeys } from './redis-keys.ts';
import type { CreditStore } from './store.ts';

/** One change of an organisation's balance. */
export type Entry = {
  readonly kind: 'charge' | 'void' | 'grant';
  /** ISO 8601 UTC */
  readonly at: string;
  /** Credits; negative for a charge. */
  readonly delta: number;
  readonly balanceAfter: number;
  readonly tool: string;
  /** Empty for a grant. */
  readonly keyId: string;
};

export type Recent = {
  /** Newest first. */
  readonly entries: readonly Entry[];
  /** False when the search stopped at its bound, so there may be older entries. */
  readonly isWhole: boolean;
};

/** How much of the log of all organisations is read, in total and at once. */
export const REACH = { entries: 50, scanned: 5_000, chunk: 500 };

const KINDS = ['charge', 'void', 'grant'] as const;

/** The latest changes of one balance. Reads the log backwards in chunks, up to a bound. */
export async function recentEntries(
  { redis, tag }: Pick<CreditStore, 'redis' | 'tag'>,
  orgId: string,
  reach = REACH,
): Promise<Recent> {
  const { log } = redisKeys(tag);
  const entries: Entry[] = [];
  let end = '+';
  for (let scanned = 0; scanned < reach.scanned; ) {
    const chunk = await redis.xrevrange(log, end, '-', 'COUNT', reach.chunk);
    for (const [id, flat] of chunk) {
      const entry = entryOf(id, flat, orgId);
      if (entry === null) continue;
      if (entries.length === reach.entries) return { entries, isWhole: false };
      entries.push(entry);
    }
    if (chunk.length < reach.chunk) return { entries, isWhole: true };
    scanned += chunk.length;
    end = `(${chunk.at(-1)?.[0] ?? '-'}`;
  }
  return { entries, isWhole: false };
}

function entryOf(id: string, flat: readonly string[], orgId: string): Entry | null {
  const field = (name: string): string => flat[flat.indexOf(name) + 1] ?? '';
  if (field('org') !== orgId) return null;
  const kind = KINDS.find((known) => known === field('kind'));
  if (kind === undefined) return null;
  return {
    kind,
    at: new Date(Number(id.split('-', 1)[0])).toISOString(),
    delta: Number(field('delta')),
    balanceAfter: Number(field('balance_after')),
    tool: field('tool'),
    keyId: field('key_id'),
  };
}
