import {
  findOrganizationByRecovery,
  type OrganizationDoc,
  type RecoveryDoc,
  saveRecovery,
} from '../../store/account/organizations.ts';
import { RECOVERY } from './code.ts';
import { MAX_LIVE_KEYS, type Minted, mintKey } from './key-mint.ts';
import type { KeyStore } from './key-record.ts';

/** A recovery code, which is not stored, and what is stored of it. */
type MadeRecovery = {
  readonly code: string;
  readonly recovery: RecoveryDoc;
};

export function makeRecovery({ pepper, now }: Pick<KeyStore, 'pepper' | 'now'>): MadeRecovery {
  const code = RECOVERY.make();
  return { code, recovery: { digest: digestOf(code, pepper) ?? '', madeAt: now().toISOString() } };
}

/** Gives an organisation another recovery code; the one before stops working. */
export async function replaceRecovery(store: KeyStore, orgId: string): Promise<string> {
  const { code, recovery } = makeRecovery(store);
  await saveRecovery(store.db, orgId, recovery);
  return code;
}

/** Time for an owner to see at the account page that somebody with a key asked for another code. */
const WAIT_MS = 72 * 3_600_000;

/**
 * The same without a proof of the present code: that one works until the new one takes its place. A code that was
 * waiting already does not any more.
 */
export async function announceRecovery(
  store: KeyStore,
  { _id, recovery: present }: Pick<OrganizationDoc, '_id' | 'recovery'>,
): Promise<{ code: string; from: string }> {
  if (present === undefined) throw new RangeError('there is no code whose place the new one could take');
  const { code, recovery } = makeRecovery(store);
  const { digest, madeAt } = validRecovery(present, store.now());
  const from = new Date(store.now().getTime() + WAIT_MS).toISOString();
  await saveRecovery(store.db, _id, { digest, madeAt, next: { ...recovery, from } });
  return { code, from };
}

/** The code that is valid now: the present one, or the one that took its place. */
export function validRecovery(recovery: RecoveryDoc, now: Date): RecoveryDoc {
  const { next } = recovery;
  return next !== undefined && Date.parse(next.from) <= now.getTime() ? next : recovery;
}

/** The organisation that a code opens, as a person typed it; null for any other text. */
export async function recoverable(store: KeyStore, text: string): Promise<OrganizationDoc | null> {
  const digest = digestOf(text, store.pepper);
  if (digest === null) return null;
  const org = await findOrganizationByRecovery(store.db, digest);
  const isValid = org?.recovery !== undefined && validRecovery(org.recovery, store.now()).digest === digest;
  return isValid ? org : null;
}

/** Beyond the maximum of keys, because all of those may be lost. */
const MAX_RECOVERED = 5;

/**
 * A new live key of an organisation that proved its recovery code. The code stays valid, so that an answer
 * that was lost on its way locks nobody out. `too_many` when the organisation has five valid keys more than
 * it may make.
 */
export function recoveredKey(store: KeyStore, org: OrganizationDoc): Promise<Minted> {
  const wanted = { orgId: org._id, label: 'Recovered', mode: 'live', isRecovered: true } as const;
  return mintKey(store, wanted, { max: MAX_LIVE_KEYS + MAX_RECOVERED });
}

function digestOf(text: string, pepper: string): string | null {
  const characters = RECOVERY.read(text);
  return characters === null ? null : RECOVERY.digest(characters, pepper);
}
