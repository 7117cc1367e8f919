import type { OtherManager } from '../filing/filing.ts';
import { nameKey } from './aggregate.ts';

/**
 * Whether two quarters name the same managers as reporting for this one, in any order. A cover gives a
 * CIK, a file number or only a name, and may change between quarters. The strongest identifier that
 * both covers have decides.
 */
export function sameReporters(a: readonly OtherManager[], b: readonly OtherManager[]): boolean {
  const covered = (one: OtherManager, others: readonly OtherManager[]): boolean =>
    others.some((other) => sameManager(one, other));
  return a.every((one) => covered(one, b)) && b.every((one) => covered(one, a));
}

function sameManager(a: OtherManager, b: OtherManager): boolean {
  if (a.cik !== null && b.cik !== null) return a.cik === b.cik;
  const [fileA, fileB] = [fileNumberOf(a), fileNumberOf(b)];
  if (fileA !== null && fileB !== null) return fileA === fileB;
  return nameKey(a.name) === nameKey(b.name);
}

/** `028-05194` and `28-5194` are the same file number. */
function fileNumberOf({ form13fFileNumber }: OtherManager): string | null {
  const parts = /^0*(\d+)-0*(\d+)$/.exec(form13fFileNumber?.trim() ?? '');
  return parts ? `${parts[1]}-${parts[2]}` : null;
}
