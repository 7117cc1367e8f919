import { type LedgerDoc, latestRows } from '../../store/account/ledger.ts';
import {
  lastLedgerCheck,
  lastWholeLedgerCheck,
  type StoredLedgerCheck,
} from '../../store/account/ledger-checks.ts';
import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';
import { redisTime } from './sweep.ts';

/** Longer than the switch from one drainer to another takes. */
const MAX_LAG_MS = 60_000;

/** Why credits need an operator. */
export function creditProblems(status: Awaited<ReturnType<typeof creditsStatus>>): string[] {
  const { credits_drain_lag_ms: lagMs, credits_stopped: stopped } = status;
  const { credits_check: check, credits_whole_check: whole } = status;
  return [
    ...(lagMs > MAX_LAG_MS ? [`charges have waited ${Math.round(lagMs / 1_000)} s for MongoDB`] : []),
    ...(check === null || check === 'clean' ? [] : [`the last check of the credits found ${check}`]),
    ...(whole === null || whole === 'clean' ? [] : [`the last check of all credits found ${whole}`]),
    ...(stopped > 0 ? [`organisations whose charges are stopped: ${stopped} (tidemark credits fence)`] : []),
  ];
}

/** What only Redis knows, how old it is, and the last checks of the ledger. */
export async function creditsStatus(store: CreditStore) {
  const { redis, db, tag } = store;
  const keys = redisKeys(tag);
  const [[oldest], entries, credits, drainer, now, check, whole, stopped] = await Promise.all([
    redis.xrange(keys.log, '-', '+', 'COUNT', 1),
    redis.xlen(keys.log),
    redis.get(keys.exposure),
    redis.exists(keys.drainer),
    redisTime(redis),
    lastLedgerCheck(db),
    lastWholeLedgerCheck(db),
    redis.scard(keys.forks),
  ]);
  return {
    credits_at_risk: Number(credits ?? 0),
    credits_undrained: entries,
    credits_drain_lag_ms: oldest === undefined ? 0 : Math.max(0, now - Number(oldest[0].split('-', 1)[0])),
    credits_drainer: drainer === 1 ? 'running' : 'none',
    credits_stopped: stopped,
    credits_checked_at: check?.at ?? null,
    credits_balance: check?.balance ?? null,
    credits_check: foundBy(check),
    credits_whole_checked_at: whole?.at ?? null,
    credits_whole_check: foundBy(whole),
  };
}

function foundBy(check: StoredLedgerCheck | null): string | null {
  if (check === null) return null;
  return check.problems.length === 0 ? 'clean' : `${check.problems.length} problems`;
}

/** One change of an organisation's balance. */
export type Entry = Pick<LedgerDoc, 'kind' | 'at' | 'delta' | 'balanceAfter' | 'tool' | 'keyId'>;

export type Recent = {
  /** Newest first. */
  readonly entries: readonly Entry[];
  /** False when there are older entries. */
  readonly isWhole: boolean;
};

/** How many entries are shown. */
export const MAX_RECENT = 50;

/**
 * The latest changes of one balance in the ledger: those of the last second may be missing. Reads a range of
 * ids, so it costs the same for any number of organisations.
 */
export async function recentEntries({ db }: Pick<CreditStore, 'db'>, orgId: string): Promise<Recent> {
  const rows = await latestRows(db, orgId, MAX_RECENT + 1);
  const moved = rows.filter(({ kind, delta }) => kind !== 'open' || delta !== 0);
  const entries = moved.slice(0, MAX_RECENT);
  return { entries, isWhole: rows.length <= MAX_RECENT };
}
