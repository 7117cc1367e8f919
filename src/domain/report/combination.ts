import type { OtherManager } from '../filing/filing.ts';

/**
 * Whether two quarters name the same managers as reporting for this one, in any order. Covers give
 * a CIK, a file number or only a name, and not the same of them every quarter, so any identifier
 * that both covers have decides, the strongest first.
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
  return nameOf(a) === nameOf(b);
}

/** `028-05194` and `28-5194` are one file number. */
function fileNumberOf({ form13fFileNumber }: OtherManager): string | null {
  const parts = /^0*(\d+)-0*(\d+)$/.exec(form13fFileNumber?.trim() ?? '');
  return parts ? `${parts[1]}-${parts[2]}` : null;
}

function nameOf({ name }: OtherManager): string {
  return name.toUpperCase().replace(/[^A-Z0-9]+/g, '');
}
