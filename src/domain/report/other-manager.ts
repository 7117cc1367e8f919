import type { OtherManager } from '../filing/filing.ts';
import type { Cik } from '../ids.ts';
import { nameKey } from './aggregate.ts';

/** Whom a report names: its own manager, and those of its two lists, which mean opposite things (rule 2.12). */
export type NamedManagers = {
  readonly name: string;
  readonly fileNumber: string | null;
  /** Managers that report for this one. */
  readonly reportedBy: readonly OtherManager[];
  /** Managers whose holdings are in this report. */
  readonly includes: readonly OtherManager[];
};

export const NAMES_NOBODY: NamedManagers = { name: '', fileNumber: null, reportedBy: [], includes: [] };

/**
 * Whether both are one manager. A list gives a CIK, a file number or only a name; the strongest identifier that
 * both have decides.
 */
export function sameManager(a: OtherManager, b: OtherManager): boolean {
  if (a.cik !== null && b.cik !== null) return a.cik === b.cik;
  const [fileA, fileB] = [fileNumberKey(a.form13fFileNumber), fileNumberKey(b.form13fFileNumber)];
  if (fileA !== null && fileB !== null) return fileA === fileB;
  return nameKey(a.name) === nameKey(b.name);
}

/** `028-05194` and `28-5194` are the same file number. */
function fileNumberKey(fileNumber: string | null): string | null {
  const parts = /^0*([1-9]\d*|0)-0*([1-9]\d*|0)$/.exec(fileNumber?.trim() ?? '');
  return parts ? `${parts[1]}-${parts[2]}` : null;
}

type Filer = Pick<NamedManagers, 'name' | 'fileNumber'> & { readonly cik: Cik };

/**
 * Finds which of the filers a list names: by its CIK, else by its file number, else by its name. A number or a
 * name that several filers have names none.
 */
export function filersByName(filers: Iterable<Filer>): (other: OtherManager) => Cik | null {
  const [byFile, byName] = [new Map<string, Cik | null>(), new Map<string, Cik | null>()];
  const note = (known: Map<string, Cik | null>, key: string, cik: Cik): void => {
    known.set(key, (known.get(key) ?? cik) === cik && known.get(key) !== null ? cik : null);
  };
  for (const { cik, name, fileNumber } of filers) {
    const file = fileNumberKey(fileNumber);
    if (file !== null) note(byFile, file, cik);
    if (name !== '') note(byName, nameKey(name), cik);
  }
  return ({ cik, form13fFileNumber, name }) => {
    if (cik !== null) return cik;
    const file = fileNumberKey(form13fFileNumber);
    return (file === null ? byName.get(nameKey(name)) : byFile.get(file)) ?? null;
  };
}
