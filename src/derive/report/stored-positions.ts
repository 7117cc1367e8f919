import type { Accession } from '../../domain/ids.ts';
import type { EffectiveReport, PositionChange, ReportChanges } from '../../domain/report/report.ts';
import type { StoredPosition } from '../../store/report/positions.ts';

/** The positions of a report as they are stored. */
export function storedPositions(changes: ReportChanges, equity: readonly PositionChange[]): StoredPosition[] {
  const places = placesOf(changes);
  return equity.map((change) => ({
    cusip: change.cusip,
    issuer: change.issuer,
    amount: change.amount,
    valueCents: change.valueCents,
    priorAmount: change.priorAmount,
    priorValueCents: change.priorValueCents,
    reasons: change.reasons,
    filing: newestFiling(changes.report, change),
    rowsUsed: change.rowsUsed.map(({ accession, rows }) => ({ filing: places.get(accession) ?? -1, rows })),
    restated: change.restated,
  }));
}

/** The filings of the prior report that some change comes from. */
export function priorAccessionsOf({ changes }: ReportChanges): Accession[] {
  return [...new Set(changes.flatMap((change) => change.priorAccessions))];
}

/** Place in `report.filings` of the newest filing that the change comes from (rule 2.8). */
function newestFiling(report: EffectiveReport, change: PositionChange): number {
  const newest = change.accessions.at(-1);
  return report.filings.findIndex((filing) => filing.accession === newest);
}

function placesOf(changes: ReportChanges): ReadonlyMap<Accession, number> {
  const own = changes.report.filings.map(({ accession }) => accession);
  return new Map([...own, ...priorAccessionsOf(changes)].map((accession, place) => [accession, place]));
}
