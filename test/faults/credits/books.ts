import { expect } from 'vitest';
import { redisKeys } from '../../../src/credits/redis-keys.ts';
import type { CreditStore } from '../../../src/credits/store.ts';

/** What the ledger says of one organisation. */
export type Books = {
  readonly balance: number;
  readonly granted: number;
  /** Credits of charges that stand: those that were not voided. */
  readonly spent: number;
  readonly charges: number;
  readonly voids: number;
};

/**
 * Reads the ledger of an organisation and holds it to what must always be true: an unbroken chain in which
 * each entry follows from the one before, no attempt charged twice, none voided twice or without a charge,
 * never below zero, and the balance at its end.
 */
export async function exactBooks({ redis, tag }: CreditStore, orgId: string): Promise<Books> {
  const keys = redisKeys(tag);
  const entries = (await redis.xrange(keys.log, '-', '+'))
    .map(([, flat]) => fieldsOf(flat))
    .filter(({ org }) => org === orgId);
  const charged = new Set<string>();
  const voided = new Set<string>();
  let balance = 0;
  let granted = 0;
  for (const [at, { kind, n, delta, balance_after, rid = '' }] of entries.entries()) {
    expect(Number(n)).toBe(at + 1);
    balance += Number(delta);
    expect(Number(balance_after)).toBe(balance);
    expect(balance).toBeGreaterThanOrEqual(0);
    if (kind === 'grant') granted += Number(delta);
    else addOnce(kind === 'charge' ? charged : voided, rid);
  }
  for (const rid of voided) expect(charged).toContain(rid);
  expect(Number(await redis.hget(keys.org(orgId), 'bal'))).toBe(balance);
  return { balance, granted, spent: granted - balance, charges: charged.size, voids: voided.size };
}

function addOnce(to: Set<string>, rid: string): void {
  expect(to).not.toContain(rid);
  to.add(rid);
}

function fieldsOf(flat: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: flat.length / 2 }, (_, n) => [flat[2 * n] ?? '', flat[2 * n + 1] ?? '']),
  );
}
