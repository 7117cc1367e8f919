import { isLive, type KeyDoc } from '../store/account/keys.ts';
import { readLabel } from './form-body.ts';

/** Whether no other live key remains that has no end: without it nobody can sign in. */
export function isLastKey(keys: readonly KeyDoc[], keyId: string, now: number): boolean {
  const lasting = keys.filter((key) => key.mode === 'live' && isLive(key, now) && key.expiresAt === null);
  return lasting.length === 1 && lasting[0]?._id === keyId;
}

/** What is typed to revoke the last key: its label, or its id where the label cannot be typed as it is stored. */
export function nameToType({ _id, label }: Pick<KeyDoc, '_id' | 'label'>): string {
  return label === '' || readLabel(label) !== label ? _id : label;
}
