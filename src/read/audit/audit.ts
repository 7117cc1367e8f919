import type { Db } from 'mongodb';
import { REASONS, type Reason, type Severity } from '../../domain/quality/quality.ts';
import { auditCorporateActions } from './corporate-actions.ts';
import { auditFilings, auditQuarantined } from './filings.ts';
import { auditPositions, type Progress } from './positions.ts';
import { auditReports } from './reports.ts';
import { type AuditRequest, auditScope } from './scope.ts';
import type { Audit } from './shape.ts';
import { latestOf } from './tally.ts';
import { auditTrades } from './trades.ts';

/**
 * How far what is stored can be relied on, the worst cases first: one pass over filings, reports and
 * trades, and over the positions of one quarter. Nothing is written, and no more is kept in memory than
 * is shown, so it may run beside a working pipeline; then its parts are of slightly different moments.
 * Throws `ticker_unresolved` for a ticker that stands for nothing or for several.
 */
export async function auditStored(db: Db, request: AuditRequest, progress: Progress): Promise<Audit> {
  const scope = await auditScope(db, request);
  const filings = await auditFilings(db, scope);
  const reports = await auditReports(db, scope);
  const trades = await auditTrades(db, scope);
  const corporateActions = await auditCorporateActions(db, scope);
  const quarantined = await auditQuarantined(db, scope.limit);
  const positions = await auditPositions(db, scope, progress);
  const reasons = reasonLines({
    filings: (reason) => filings.reasons.of(reason) + trades.filingReasons.of(reason),
    reports: reports.reasons.of,
    observations: (reason) => positions.reasons.of(reason) + trades.tradeReasons.of(reason),
    examples: (reason) =>
      latestOf(
        [filings.reasons, reports.reasons, trades.filingReasons].flatMap((seen) => seen.examples(reason)),
      ),
  });
  return {
    schema_version: 'audit.v2',
    as_of: scope.asOf,
    scope: {
      quarter_end: scope.quarterEnd,
      ticker: scope.ticker,
      positions_of: scope.positionsOf,
      limit: scope.limit,
    },
    stored: {
      filings_13f: filings.filings,
      filings_form4: trades.filings,
      reports: reports.reports,
      positions: positions.positions,
      trades: trades.trades,
    },
    reasons,
    // A filing that another one has superseded shows nothing any more.
    critical: reasons
      .filter(({ severity, ...seen }) => severity === 'critical' && seen.reports + seen.observations > 0)
      .map(({ reason }) => reason),
    declared_totals: filings.declared_totals,
    ...positions.securities,
    corporate_actions: corporateActions,
    scales: reports.scales,
    identical_positions: reports.identical_positions,
    reorganised_managers: reports.reorganised_managers,
    text_tables: filings.text_tables,
    quarantined,
    unreconciled_amendments: trades.unreconciled_amendments,
    implausible_prices: trades.implausible_prices,
  };
}

type ReasonLine = Audit['reasons'][number];
type Counts = Record<'filings' | 'reports' | 'observations', (reason: Reason) => number> & {
  readonly examples: (reason: Reason) => string[];
};

const GRAVITY: Record<Severity, number> = { critical: 0, warning: 1, info: 2 };

function reasonLines(counts: Counts): ReasonLine[] {
  const lines = (Object.keys(REASONS) as Reason[]).map((reason): ReasonLine => {
    const { leg, severity, effect } = REASONS[reason];
    return {
      ...{ reason, leg, severity, effect },
      filings: counts.filings(reason),
      reports: counts.reports(reason),
      observations: counts.observations(reason),
      examples: counts.examples(reason),
    };
  });
  const often = ({ filings, reports, observations }: ReasonLine): number => filings + reports + observations;
  return lines
    .filter((line) => often(line) > 0)
    .sort(
      (a, b) =>
        GRAVITY[a.severity] - GRAVITY[b.severity] || often(b) - often(a) || (a.reason < b.reason ? -1 : 1),
    );
}
