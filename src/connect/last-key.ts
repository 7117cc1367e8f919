import type { CreditStore } from '../credits/store.ts';
import { isLive, type KeyDoc, keysOf, noteEnding } from '../store/account/keys.ts';
import { readLabel } from './page-request.ts';

/** A revocation is decided by then, or its process has died. */
const DECIDED_MS = 60_000;

/** Whether no other live key remains that signs in, has no end and is not about to be revoked: without it nobody can sign in. */
export function isLastKey(keys: readonly KeyDoc[], keyId: string, now: number): boolean {
  const lasting = keys.filter(
    (key) =>
      key.mode === 'live' &&
      key.callsOnly !== true &&
      isLive(key, now) &&
      key.expiresAt === null &&
      (key._id === keyId || !isEnding(key, now)),
  );
  return lasting.length === 1 && lasting[0]?._id === keyId;
}

function isEnding({ endingSince }: KeyDoc, now: number): boolean {
  return endingSince !== undefined && now - Date.parse(endingSince) < DECIDED_MS;
}

/**
 * Whether a key may be revoked without its name: another one remains. It is marked before the others are read,
 * so of two last keys that are revoked at once each one sees the other's mark, and neither is.
 */
export async function mayEnd(
  { db, now }: Pick<CreditStore, 'db' | 'now'>,
  { _id, orgId }: Pick<KeyDoc, '_id' | 'orgId'>,
): Promise<boolean> {
  const at = now();
  await noteEnding(db, _id, at.toISOString());
  if (!isLastKey(await keysOf(db, orgId), _id, at.getTime())) return true;
  await noteEnding(db, _id, null);
  return false;
}

/** What is typed to revoke the last key: its label, or its id where the label cannot be typed as it is stored. */
export function nameToType({ _id, label }: Pick<KeyDoc, '_id' | 'label'>): string {
  return label === '' || readLabel(label) !== label ? _id : label;
}
