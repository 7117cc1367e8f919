import type { Document } from 'mongodb';
import { discovered, type FoundFiling } from '../store/filing/claims.ts';

/** Their shape is the same in every store version. */
const COPIED: ReadonlySet<string> = new Set([
  ...['usage', 'ledger', 'vouchers', 'grants', 'watchlists', 'keys', 'organizations'],
  ...['raw', 'raw_parts'],
]);

/**
 * A document of an earlier store version in a new home; null for what is derived. Accounts and bytes are copied, and a
 * filing waits to be parsed from its bytes.
 */
export function carriedOver(collection: string, doc: Document): Document | null {
  if (COPIED.has(collection)) return doc;
  if (collection === 'settings') return doc['_id'] === 'key_pepper' ? doc : null;
  if (collection !== 'filings' || doc['raw'].length === 0) return null;
  const { _id: accession, cik, form, leg, company, filedDate, discoveredAt, raw, retrievedAt } = doc;
  const found = { accession, cik, form, leg, company, filedDate } as FoundFiling;
  return { ...discovered(found, discoveredAt), state: 'fetched', raw, retrievedAt };
}
