import { type Ownership, type ReportingOwner, sourceUrl } from '../filing/filing.ts';
import { evidenceIdOfForm4, type Ticker } from '../ids.ts';
import { dollarsFromCents } from '../money.ts';
import { qualityOf, type Reason } from '../quality/quality.ts';
import { pctOfHolding } from '../ratio.ts';
import { normaliseSymbol, symbolsIn } from '../security/symbol.ts';
import type { TransactionItem } from '../wire/transaction.ts';
import { footnotesOf } from './kind.ts';
import type { Trade } from './trade.ts';

/** Of a whole title or a part of it: the `CEO` of a division is none of the company. */
const OFFICES: readonly (readonly [string, RegExp])[] = [
  ['CEO', /^(?:co-)?(?:ceo|(?:chief|principal) exec(?:utive|\.)?(?: off(?:icer|\.)?)?)$/i],
  ['CFO', /^(?:co-)?(?:cfo|(?:chief|principal) fin(?:ancial|\.)?(?: off(?:icer|\.)?)?)$/i],
  ['COO', /^(?:co-)?(?:coo|chief oper(?:ating|\.)?(?: off(?:icer|\.)?)?)$/i],
];

/** `See Remarks`. */
const ELSEWHERE = /^see\b/i;

/**
 * The wire item of `/insider/transactions` and of the brief (rule 11.8).
 * `knownTicker` is the ticker whose trade it is; where the share class is not certain, the form's own symbol
 * comes first. Without both the ticker is empty.
 */
export function transactionItem(trade: Trade, knownTicker: Ticker | null = null): TransactionItem {
  const { filing, row } = trade;
  const { header, issuer } = filing;
  const ticker = statedTicker(normaliseSymbol(issuer.symbol), knownTicker, trade.reasons);
  const { status, reasons } = qualityOf(trade.reasons);
  return {
    transaction_id: trade.id,
    accession_number: header.accession,
    form_type: filing.isAmendment ? '4/A' : '4',
    issuer: { cik: issuer.cik, name: issuer.name, ticker },
    owners: trade.owners.map(reportingOwnerItem),
    security_title: row.securityTitle,
    transaction_date: row.transactionDate,
    filed_at: header.acceptedAt ?? header.filedDate,
    code: row.code,
    side: trade.side,
    kind: trade.kind,
    acquired_disposed: row.acquiredDisposed,
    shares: row.shares,
    price_per_share: row.pricePerShare,
    value_usd: trade.valueCents === null ? null : dollarsFromCents(trade.valueCents),
    shares_owned_after: row.sharesOwnedAfter,
    pct_of_holding: trade.side === 'sell' ? pctOfHolding(row.shares, row.sharesOwnedAfter) : null,
    ownership: row.ownership,
    is_10b5_1: filing.is10b51,
    is_derivative: row.table === 'derivative',
    priced: trade.priced,
    footnotes: footnotesOf(filing, row),
    amendment: { is_amendment: filing.isAmendment, amends: trade.amends },
    quality: { status, reasons: [...reasons] },
    evidence_ids: trade.accessions.map(evidenceIdOfForm4),
    source_url: sourceUrl(issuer.cik, header.accession),
  };
}

function statedTicker(stated: Ticker | null, known: Ticker | null, reasons: readonly Reason[]): Ticker | '' {
  const isOwn = known !== null && !reasons.includes('share_class_unresolved');
  return (isOwn ? known : (stated ?? known)) ?? '';
}

/** The item of a trade of the ticker. */
export function withTicker(item: TransactionItem, known: Ticker | null): TransactionItem {
  const { issuer, quality } = item;
  const stated = issuer.ticker === '' ? null : (issuer.ticker as Ticker);
  return { ...item, issuer: { ...issuer, ticker: statedTicker(stated, known, quality.reasons) } };
}

/** What a whole form says of its security. */
export function formSecurity({ issuer, rows }: Pick<Ownership, 'issuer' | 'rows'>) {
  const titles = rows.filter(({ table }) => table === 'non_derivative').map((row) => row.securityTitle);
  return { cik: issuer.cik, symbols: symbolsIn(issuer.symbol), titles };
}

/** The item with further reasons, which no form of its issuer decides. */
export function withReasons(item: TransactionItem, more: readonly Reason[]): TransactionItem {
  if (more.length === 0) return item;
  const { status, reasons } = qualityOf([...item.quality.reasons, ...more]);
  return { ...item, quality: { status, reasons: [...reasons] } };
}

/** A reporting owner as every Form 4 answer shows it. */
export function reportingOwnerItem(owner: ReportingOwner): TransactionItem['owners'][number] {
  return {
    cik: owner.cik,
    name: owner.name,
    is_director: owner.isDirector,
    is_officer: owner.isOfficer,
    is_ten_percent_owner: owner.isTenPercentOwner,
    officer_title: owner.officerTitle,
    roles: rolesOf(owner),
  };
}

/**
 * What the owner is to the issuer, the highest first: `CEO`, `CFO` or `COO`, another officer's title as
 * filed, `director`, `10 % owner`. Empty where the form marks none of them (rule 6.12).
 */
export function rolesOf(owner: Omit<ReportingOwner, 'cik' | 'name'>): string[] {
  const roles = owner.isOfficer ? [officeOf(owner.officerTitle)] : [];
  if (owner.isDirector) roles.push('director');
  if (owner.isTenPercentOwner) roles.push('10 % owner');
  return roles;
}

function officeOf(title: string | null): string {
  const filed = title?.replace(/\s+/g, ' ').trim() ?? '';
  const parts = filed.split(/ ?(?:[,;/&+]|\band\b) ?/i);
  const [office] = OFFICES.find(([, pattern]) => parts.some((part) => pattern.test(part))) ?? [];
  return office ?? (filed === '' || ELSEWHERE.test(filed) ? 'officer' : filed);
}
