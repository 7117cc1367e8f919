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

/** What a list may name a filer by, besides its CIK; null for what it does not have. */
type FilerKeys = { readonly file: string | null; readonly name: string | null };

export function filerKeys({ name, fileNumber }: Pick<NamedManagers, 'name' | 'fileNumber'>): FilerKeys {
  return { file: fileNumberKey(fileNumber), name: name === '' ? null : nameKey(name) };
}

/** A filer; null for several, undefined for none. */
type Found = Cik | null | undefined;

function oneOf(a: Found, b: Found): Found {
  if (a === undefined) return b;
  return b === undefined || a === b ? a : null;
}

/** Filers by file number and by name; null for a number or a name that several have. */
export type FilerIndex = ReturnType<typeof filerIndex>;

export function filerIndex(filers: Iterable<{ readonly cik: Cik; readonly keys: FilerKeys }>) {
  const [byFile, byName] = [new Map<string, Found>(), new Map<string, Found>()];
  const note = (known: Map<string, Found>, key: string | null, cik: Cik): void => {
    if (key !== null) known.set(key, oneOf(known.get(key), cik));
  };
  for (const { cik, keys } of filers) {
    note(byFile, keys.file, cik);
    note(byName, keys.name, cik);
  }
  return { byFile, byName };
}

/**
 * Finds which of the filers of two quarters a list names: by its CIK, else by its file number, else by its name. A
 * number or a name that several filers have names none. Most lists give the CIK, or are empty: then nothing is indexed.
 */
export function filersByName(prior: () => FilerIndex, current: () => FilerIndex) {
  return ({ cik, form13fFileNumber, name }: OtherManager): Cik | null => {
    if (cik !== null) return cik;
    const file = fileNumberKey(form13fFileNumber);
    const among = ({ byFile, byName }: FilerIndex): Found =>
      file === null ? byName.get(nameKey(name)) : byFile.get(file);
    return oneOf(among(prior()), among(current())) ?? null;
  };
}
