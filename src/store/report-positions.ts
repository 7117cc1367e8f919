import { createHash } from 'node:crypto';
import { isEquity } from '../domain/holding.ts';
import type { Accession, Cusip } from '../domain/ids.ts';
import type { EffectiveReport, Position, PositionChange, ReportChanges } from '../domain/report.ts';
import { type FiledFacts, packPosition, type StoredPosition } from './position-pack.ts';
import type { FiledDigest } from './reports.ts';

/**
 * The positions of a report as they are stored. `filed` is the same report folded without anything
 * that other filers tell, so that what they are asked never depends on what they answered.
 */
export function storedPositions(
  changes: ReportChanges,
  equity: readonly PositionChange[],
  filed: EffectiveReport,
): StoredPosition[] {
  const places = placesOf(changes);
  const facts = new Map<Cusip, FiledFacts>(
    filed.positions.filter(isEquity).map((position) => [position.cusip, factsOf(position)]),
  );
  return equity.map((change) => ({
    cusip: change.cusip,
    issuer: change.issuer,
    amount: change.amount,
    valueCents: change.valueCents,
    priorAmount: change.priorAmount,
    priorValueCents: change.priorValueCents,
    reasons: change.reasons,
    filing: newestFiling(changes.report, change),
    filed: change.change === 'EXITED' ? null : (facts.get(change.cusip) ?? null),
    rowsUsed: change.rowsUsed.map(({ accession, rows }) => ({ filing: places.get(accession) ?? -1, rows })),
    restated: change.restated,
  }));
}

/** The filings of the prior report that some change comes from. */
export function priorAccessionsOf({ changes }: ReportChanges): Accession[] {
  return [...new Set(changes.flatMap((change) => change.priorAccessions))];
}

/** What of a report the other filers are asked with; equal for equal filings, whatever they answer. */
export function filedDigest(filed: EffectiveReport): FiledDigest {
  const isComparable = filed.state === 'holdings' && !filed.reasons.includes('shares_equal_value');
  const filings = filed.filings.map(({ accession, filedDate, role }) => [accession, filedDate, role]);
  const positions = filed.positions
    .filter(isEquity)
    .map(({ cusip, amount, accessions, ...position }) => [
      cusip,
      amount.toString(),
      accessions.length === 1 ? accessions[0] : null,
      packFacts(factsOf(position)),
    ]);
  return { version: digestOf([isComparable, filings, positions]), isComparable };
}

/** Everything that a reader of a report can see, so that equal inputs share one version. */
export function digestOf(seen: unknown): string {
  return createHash('sha256').update(JSON.stringify(seen)).digest('hex').slice(0, 24);
}

export function packPositions(positions: readonly StoredPosition[]): unknown {
  return positions.map(packPosition);
}

function factsOf(position: Pick<Position, 'issuer' | 'filedValueCents' | 'reasons'>): FiledFacts {
  return { issuer: position.issuer, valueCents: position.filedValueCents, reasons: position.reasons };
}

function packFacts({ issuer, valueCents, reasons }: FiledFacts): unknown {
  return [issuer, valueCents.toString(), reasons];
}

/** Place in `report.filings` of the newest filing that the change comes from (domain 2.4). */
function newestFiling(report: EffectiveReport, change: PositionChange): number {
  const newest = change.accessions.at(-1);
  return report.filings.findIndex((filing) => filing.accession === newest);
}

function placesOf(changes: ReportChanges): ReadonlyMap<Accession, number> {
  const own = changes.report.filings.map(({ accession }) => accession);
  return new Map([...own, ...priorAccessionsOf(changes)].map((accession, place) => [accession, place]));
}
