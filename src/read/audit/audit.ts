import type { Db } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import { REASONS, type Reason, type Severity } from '../../domain/quality/quality.ts';
import { auditCorporateActions } from './corporate-actions.ts';
import { auditFilings, auditQuarantined } from './filings.ts';
import { auditMappingCoverage } from './mapping-coverage.ts';
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
  const coverage = await auditMappingCoverage(db, scope);
  const reasons = reasonLines({ filings, reports, trades, positions });
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
    critical: reasons.filter(isCritical).map(({ reason }) => reason),
    declared_totals: filings.declared_totals,
    mapping_coverage: coverage,
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
type Audited = {
  readonly filings: Awaited<ReturnType<typeof auditFilings>>;
  readonly reports: Awaited<ReturnType<typeof auditReports>>;
  readonly trades: Awaited<ReturnType<typeof auditTrades>>;
  readonly positions: Awaited<ReturnType<typeof auditPositions>>;
};

const GRAVITY: Record<Severity, number> = { critical: 0, warning: 1, info: 2 };

function reasonLines({ filings, reports, trades, positions }: Audited): ReasonLine[] {
  const ofFilings = [filings.reasons, reports.reasons, trades.filingReasons];
  const lines = (Object.keys(REASONS) as Reason[]).map((reason): ReasonLine => {
    const { leg, severity, effect } = REASONS[reason];
    return {
      ...{ reason, leg, severity, effect },
      filings: filings.reasons.of(reason) + trades.filingReasons.of(reason),
      reports: reports.reasons.of(reason),
      observations: positions.reasons.of(reason) + trades.tradeReasons.of(reason),
      examples: latestOf(ofFilings.flatMap((seen) => seen.examples(reason))),
    };
  });
  const often = (line: ReasonLine): number => line.filings + line.reports + line.observations;
  return lines
    .filter((line) => often(line) > 0)
    .sort(
      (a, b) =>
        GRAVITY[a.severity] - GRAVITY[b.severity] || often(b) - often(a) || compare(a.reason, b.reason),
    );
}

/** A filing that another one has superseded shows nothing any more. */
function isCritical({ severity, reports, observations }: ReasonLine): boolean {
  return severity === 'critical' && reports + observations > 0;
}
