import {
  ensureOrganizationIndexes,
  findOrganizationByRecovery,
  type OrganizationDoc,
  saveRecovery,
} from '../../store/account/organizations.ts';
import { RECOVERY } from './code.ts';
import { MAX_LIVE_KEYS, type Minted, mintKey } from './key-mint.ts';
import type { KeyStore } from './key-store.ts';

/** A recovery code, which is not stored, and what is stored of it. */
export type MadeRecovery = {
  readonly code: string;
  readonly recovery: NonNullable<OrganizationDoc['recovery']>;
};

export function makeRecovery({ pepper, now }: Pick<KeyStore, 'pepper' | 'now'>): MadeRecovery {
  const code = RECOVERY.make();
  return { code, recovery: { digest: digestOf(code, pepper) ?? '', madeAt: now().toISOString() } };
}

/** Gives an organisation another recovery code; the one before stops working. */
export async function replaceRecovery(store: KeyStore, orgId: string): Promise<string> {
  await ensureOrganizationIndexes(store.db);
  const { code, recovery } = makeRecovery(store);
  await saveRecovery(store.db, orgId, recovery);
  return code;
}

/** The organisation that a code opens, as a person typed it; null for any other text. */
export async function recoverable(store: KeyStore, text: string): Promise<OrganizationDoc | null> {
  const digest = digestOf(text, store.pepper);
  return digest === null ? null : findOrganizationByRecovery(store.db, digest);
}

/** Beyond the maximum of keys, because all of those may be lost. */
const MAX_RECOVERED = 5;

/**
 * A new live key of an organisation that proved its recovery code. The code stays valid, so that an answer
 * that was lost on its way locks nobody out. `too_many` when the organisation has five valid keys more than
 * it may make.
 */
export function recoveredKey(store: KeyStore, org: OrganizationDoc): Promise<Minted> {
  const wanted = { orgId: org._id, label: 'Recovered', mode: 'live' } as const;
  return mintKey(store, wanted, { max: MAX_LIVE_KEYS + MAX_RECOVERED });
}

function digestOf(text: string, pepper: string): string | null {
  const characters = RECOVERY.read(text);
  return characters === null ? null : RECOVERY.digest(characters, pepper);
}
