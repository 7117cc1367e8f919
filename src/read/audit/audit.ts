import type { Db } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import type { QuarterEnd } from '../../domain/ids.ts';
import { REASONS, type Reason, type Severity } from '../../domain/quality/quality.ts';
import { publishedCorpus } from '../../store/publish/corpus.ts';
import { auditFilings, auditQuarantined } from './filings.ts';
import { auditCorporateActions } from './peers.ts';
import { auditPositions, type Progress } from './positions.ts';
import { auditReports } from './reports.ts';
import type { AuditScope, Section } from './section.ts';
import { latestOf, type Tally } from './tally.ts';
import { auditTrades } from './trades.ts';

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
