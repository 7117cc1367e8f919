import type { Db } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import { batches } from '../../domain/group.ts';
import type { Cik, IsoDate, QuarterEnd } from '../../domain/ids.ts';
import type { CorporateAction } from '../../domain/peers/verdict.ts';
import { REASONS, type Reason, type Severity } from '../../domain/quality/quality.ts';
import { previousQuarterEnd } from '../../domain/quarter.ts';
import type { TransactionItem } from '../../domain/wire/transaction.ts';
import { peerVerdictsIn, unpackCorporateActions } from '../../store/peers/corporate-actions.ts';
import { publishedCorpus } from '../../store/publish/corpus.ts';
import { itemOf, tradesIn } from '../../store/trade/trades.ts';
import { withPriceReasons } from '../trade/prices.ts';
import { auditFilings, auditQuarantined, auditReports } from './filings.ts';
import { auditPositions, type Progress } from './positions.ts';
import { type AuditScope, byAmount, latestOf, type Section, type Tally, tally, worstOf } from './tally.ts';

type Request = { readonly quarterEnd: QuarterEnd | null; readonly limit: number };

/**
 * How far what is stored can be relied on: one pass over filings, reports and trades, and over the positions of one
 * quarter. It writes nothing and keeps no more in memory than it shows, so it may run while the pipeline works.
 */
export async function auditStored(db: Db, { quarterEnd, limit }: Request, progress: Progress) {
  const corpus = (await publishedCorpus(db))?.corpus ?? null;
  const positionsOf = corpus && (quarterEnd ?? corpus.state.latestReportedQuarterEnd);
  const scope: AuditScope = { asOf: corpus?.asOf ?? null, quarterEnd, positionsOf, limit };
  const filings = await auditFilings(db, scope);
  const reports = await auditReports(db, scope);
  const trades = await auditTrades(db, scope);
  const positions = await auditPositions(db, scope, progress);
  const reasons = reasonRows({ filings, reports, positions, trades });
  const sections: Section[] = [
    {
      title: 'Quality reasons',
      about: `Of filings, reports, positions of ${positionsOf ?? 'no quarter'} and trades. Critical ones first, with the latest filings.`,
      rows: reasons,
    },
    ...[filings.totals, ...positions.sections, await auditCorporateActions(db, scope)],
    ...[...reports.sections, filings.texts, await auditQuarantined(db, limit), trades.section],
  ];
  return {
    schema_version: 'audit.v3',
    ...{ as_of: scope.asOf, quarter_end: quarterEnd, positions_of: positionsOf },
    stored: {
      filings_13f: filings.count,
      reports: reports.count,
      positions: positions.count,
      filings_form4: trades.filings,
      trades: trades.count,
    },
    /** Reasons of reports, positions or trades: a filing that another one has superseded shows nothing any more. */
    critical: reasons.flatMap(({ reason, severity, reports: folded, observations }) =>
      severity === 'critical' && folded + observations > 0 ? [reason] : [],
    ),
    sections,
  };
}

export type Audit = Awaited<ReturnType<typeof auditStored>>;

type Counted = Readonly<Record<'filings' | 'reports' | 'positions', { readonly reasons: Tally<Reason> }>> & {
  readonly trades: { readonly reasons: Tally<Reason>; readonly ofFilings: Tally<Reason> };
};

const GRAVITY: Record<Severity, number> = { critical: 0, warning: 1, info: 2 };

function reasonRows({ filings, reports, positions, trades }: Counted) {
  const rows = (Object.keys(REASONS) as Reason[]).map((reason) => {
    const { severity, effect } = REASONS[reason];
    const named = [filings.reasons, reports.reasons, trades.ofFilings].flatMap((of) => of.examples(reason));
    return {
      ...{ reason, severity, effect },
      filings: filings.reasons.of(reason) + trades.ofFilings.of(reason),
      reports: reports.reasons.of(reason),
      observations: positions.reasons.of(reason) + trades.reasons.of(reason),
      examples: latestOf(named).join(' '),
    };
  });
  const often = (row: (typeof rows)[number]): number => row.filings + row.reports + row.observations;
  return rows
    .filter((row) => often(row) > 0)
    .sort(
      (a, b) =>
        GRAVITY[a.severity] - GRAVITY[b.severity] || often(b) - often(a) || compare(a.reason, b.reason),
    );
}

type Action = CorporateAction & { readonly quarter: QuarterEnd };

/** What the filers of each quarter agree on. */
async function auditCorporateActions(db: Db, { quarterEnd, limit }: AuditScope): Promise<Section> {
  const counts = new Map<string, number>();
  const worst = worstOf<Action>(limit, closestFirst);
  const filter = quarterEnd === null ? {} : { _id: quarterEnd };
  const docs = peerVerdictsIn(db).find(filter, { projection: { corporateActions: 1 } });
  for await (const { _id, corporateActions } of docs) {
    for (const action of unpackCorporateActions(corporateActions)) {
      counts.set(action.kind, (counts.get(action.kind) ?? 0) + 1);
      worst.add({ ...action, quarter: _id });
    }
  }
  const all = [...counts].sort(([a], [b]) => compare(a, b)).map(([kind, count]) => `${count} ${kind}`);
  return {
    title: 'Splits, new CUSIPs, mergers and mass exits by the filers together',
    about: `${all.join(', ') || 'None'}. The closest votes of the latest quarter first.`,
    rows: worst.found().worst.map(rowOf),
  };
}

function rowOf(action: Action) {
  const { kind, quarter, cusip, votes, compared } = action;
  const from = 'from' in action ? action.from : null;
  return { kind, quarter, cusip, from, factor: factorOf(action), votes, of_holders: compared };
}

function factorOf(action: CorporateAction): string | null {
  if ('factor' in action) return `${action.factor.numerator}:${action.factor.denominator}`;
  return action.kind === 'stock_merger' ? `${action.multiple}:1` : null;
}

function closestFirst(a: Action, b: Action): number {
  return compare(b.quarter, a.quarter) || shareOf(a) - shareOf(b) || compare(keyOf(a), keyOf(b));
}

function shareOf({ votes, compared }: Action): number {
  return compared === 0 ? 0 : votes / compared;
}

function keyOf(action: Action): string {
  return `${action.cusip}|${action.kind}|${'from' in action ? action.from : ''}`;
}

/** Issuers of one read: their filings are separated in memory. */
const ISSUERS_AT_ONCE = 50;
/** Trades that are compared with the prices of 13F reports in one read. */
const PRICED_AT_ONCE = 1_000;

const LISTED: readonly Reason[] = ['unreconciled_amendment', 'price_implausible'];

type Doubted = { readonly item: TransactionItem; readonly reason: Reason };

/** Every transaction row of the Forms 4, issuer by issuer. */
export async function auditTrades(db: Db, scope: AuditScope) {
  let [filings, count] = [0, 0];
  const [reasons, ofFilings] = [tally<Reason>(), tally<Reason>()];
  const doubted = worstOf<Doubted>(scope.limit, byValue);
  for (const batch of batches(await tradesIn(db).distinct('issuerCik'), ISSUERS_AT_ONCE)) {
    const byFiling = new Map<string, Set<Reason>>();
    for await (const { item } of tradesOf(db, batch, scope)) {
      const own = [...new Set(item.quality.reasons as Reason[])];
      count += 1;
      reasons.add(own, null);
      const ofFiling = byFiling.get(item.accession_number) ?? new Set();
      byFiling.set(item.accession_number, ofFiling);
      for (const reason of own) ofFiling.add(reason);
      for (const reason of own.filter((one) => LISTED.includes(one))) doubted.add({ item, reason });
    }
    filings += byFiling.size;
    for (const [accession, own] of byFiling) ofFilings.add(own, accession);
  }
  return { filings, count, reasons, ofFilings, section: sectionOf(doubted.found()) };
}

function sectionOf({
  total,
  worst,
}: {
  readonly total: number;
  readonly worst: readonly Doubted[];
}): Section {
  return {
    title: 'Trades of Form 4 in doubt',
    about: `${total} rows of a 4/A that restate no stored original, and prices far above the one that 13F reports imply.`,
    rows: worst.map(({ item, reason }) => {
      const { transaction_id: transaction, issuer, code, shares, price_per_share, value_usd } = item;
      return { reason, transaction, issuer: issuer.name, code, shares, price_per_share, value_usd };
    }),
  };
}

type Placed = { readonly item: TransactionItem; readonly placedOn: IsoDate };

/** Rows that are gone have no item. Prices are compared here, because 13F reports change what is implausible. */
async function* tradesOf(db: Db, issuers: readonly Cik[], scope: AuditScope): AsyncGenerator<Placed> {
  const docs = tradesIn(db).find(
    { issuerCik: { $in: [...issuers] } },
    { projection: { item: 1, placedOn: 1 } },
  );
  let placed: Placed[] = [];
  for await (const { item, placedOn } of docs) {
    if (item === null || placedOn === null || !isPlacedIn(scope, placedOn)) continue;
    placed.push({ item: itemOf(item), placedOn });
    if (placed.length < PRICED_AT_ONCE) continue;
    yield* await withPriceReasons(db, placed);
    placed = [];
  }
  yield* await withPriceReasons(db, placed);
}

function isPlacedIn({ quarterEnd }: AuditScope, placedOn: IsoDate): boolean {
  return quarterEnd === null || (placedOn > previousQuarterEnd(quarterEnd) && placedOn <= quarterEnd);
}

const byValue = byAmount<Doubted>(
  ({ item }) => BigInt(Math.round((item.value_usd ?? 0) * 100)),
  ({ item, reason }) => `${item.transaction_id}|${reason}`,
);
