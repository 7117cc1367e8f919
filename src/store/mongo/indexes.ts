import type { Db, IndexDescription } from 'mongodb';

type Indexes = Record<string, IndexDescription[]>;

/** Of accounts and credits, by the read that needs it. */
const ACCOUNT_INDEXES: Indexes = {
  organizations: [
    // One organisation per name.
    { key: { name: 1 }, name: 'name_1', unique: true },
    { key: { 'recovery.digest': 1 }, name: 'recovery.digest_1' },
    { key: { 'recovery.next.digest': 1 }, name: 'recovery.next.digest_1' },
  ],
  keys: [{ key: { orgId: 1, createdAt: 1 }, name: 'orgId_1_createdAt_1' }],
  // What is done once has one row.
  ledger: [{ key: { orgId: 1, rid: 1, kind: 1 }, name: 'orgId_1_rid_1_kind_1', unique: true }],
  grants: [{ key: { pending: 1 }, name: 'pending', partialFilterExpression: { pending: true } }],
  vouchers: [{ key: { state: 1 }, name: 'by_state' }],
};

/** Every secondary index, by the read that needs it. All other reads are by exact `_id`, or a range of seq. */
const INDEXES: Indexes = {
  ...ACCOUNT_INDEXES,
  filings: [
    { key: { state: 1, lane: 1, filedDate: -1 }, name: 'newest_of_lane' },
    { key: { event: 1, 'publishedAt.value': 1, _id: 1 }, name: 'event_outbox' },
    { key: { derive: 1 }, name: 'derive_outbox' },
    { key: { cik: 1, 'content.quarterEnd': -1, filedDate: -1, _id: -1 }, name: 'filings_of_fund' },
    { key: { issuerCik: 1, filedDate: 1 }, name: 'issuer_ownership' },
    { key: { filedDate: 1 }, name: 'by_filed_date' },
    { key: { indexDay: 1 }, name: 'by_index_day' },
    { key: { withdrawnAt: 1 }, name: 'withdrawn' },
    { key: { 'quarantine.code': 1 }, name: 'failures', sparse: true },
    {
      key: { documentWanted: 1, filedDate: -1 },
      name: 'documents_wanted',
      partialFilterExpression: { documentWanted: true },
    },
  ],
  reports: [
    { key: { cik: 1, quarterEnd: -1 }, name: 'quarters_of_fund' },
    { key: { quarterEnd: 1 }, name: 'reports_of_quarter' },
  ],
  positions: [{ key: { securities: 1 }, name: 'by_security' }],
  options: [{ key: { securities: 1 }, name: 'by_security' }],
  events: [
    { key: { accession: 1 }, name: 'one_event_per_filing', unique: true },
    { key: { ticker: 1, _id: 1 }, name: 'by_ticker' },
    { key: { form: 1, _id: 1 }, name: 'by_form' },
    { key: { issuerCik: 1, _id: 1 }, name: 'by_issuer' },
    { key: { reportingOwnerCiks: 1, _id: 1 }, name: 'by_reporting_owner' },
  ],
  funds: [
    { key: { aumCents: -1, _id: 1 }, name: 'by_aum' },
    { key: { kebab: 1 }, name: 'by_kebab_name' },
    { key: { latestQuarterEnd: -1 }, name: 'by_latest_quarter' },
    { key: { reportedThrough: 1 }, name: 'by_reported_through' },
  ],
  last_held: [
    { key: { held: 1, quarterEnd: 1 }, name: 'last_holders' },
    { key: { exited: 1, quarterEnd: 1 }, name: 'last_exits' },
  ],
  trades: [
    { key: { scopes: 1, order: -1, placedOn: 1, valueCents: 1 }, name: 'listed' },
    { key: { issuerCik: 1, near: 1 }, name: 'rows_near' },
    { key: { valueCents: 1 }, name: 'by_value' },
    { key: { placedOn: 1 }, name: 'by_day' },
  ],
  invalidations: [{ key: { pending: 1, kind: 1, lane: 1, at: 1 }, name: 'oldest_of_lane' }],
  briefs: [
    { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
    { key: { kept: 1, expiresAt: 1 }, name: 'unread' },
    { key: { ticker: 1, generatedAt: -1, _id: 1 }, name: 'newest_of_ticker' },
    { key: { 'evidence.digest': 1 }, name: 'by_evidence' },
    { key: { 'corrects.at': 1 }, name: 'corrections', sparse: true },
  ],
  evidence_pages: [{ key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }],
  current_briefs: [
    { key: { managersObserved: -1, _id: 1 }, name: 'by_managers_observed' },
    { key: { askedAt: -1 }, name: 'asked_last' },
  ],
  search_holders: [{ key: { part: 1 }, name: 'quarters_of_part' }],
  listed_securities: [{ key: { cusip: 1 }, name: 'by_cusip' }],
  securities: [
    { key: { cik: 1 }, name: 'by_cik' },
    { key: { symbol: 1 }, name: 'by_symbol' },
    { key: { bare: 1 }, name: 'by_bare_symbol' },
    { key: { issuer: 1 }, name: 'by_cusip_issuer' },
  ],
};

/** Creates what is missing; safe to run from every process at boot. */
export async function ensureIndexes(db: Db, wanted = INDEXES): Promise<void> {
  for (const [collection, indexes] of Object.entries(wanted)) {
    await db.collection(collection).createIndexes(indexes);
  }
}

/** The same of accounts and credits alone: an API and a new organisation build no others. */
export function ensureAccountIndexes(db: Db): Promise<void> {
  return ensureIndexes(db, ACCOUNT_INDEXES);
}
