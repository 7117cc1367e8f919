import type { Db } from 'mongodb';
import { saveSetting, settingOf } from './settings.ts';

/** A reference file that was read to its end. */
type Imported = { readonly sha256: string; readonly at: string };

const nameOf = (file: string): string => `imported|${file}`;

/** With a hash: a file of exactly these bytes. Without: the file of that name, which never changes. */
export async function isImported(db: Db, name: string, sha256?: string): Promise<boolean> {
  const known = await settingOf<Imported>(db, nameOf(name));
  return known !== null && (sha256 === undefined || known.sha256 === sha256);
}

export async function noteImported(db: Db, name: string, sha256: string, now: Date): Promise<void> {
  const imported: Imported = { sha256, at: now.toISOString() };
  await saveSetting(db, nameOf(name), imported);
}

/** Stands for all reference data together: noted when a run has read all of it. */
export const REFERENCE_RUN = 'reference run';
