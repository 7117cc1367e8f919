import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join, relative } from 'node:path';
import { rootName } from '../../src/forms/xml.ts';

/** The kind of a file: a whole submission, or one XML document without its submission. */
export type DocumentKind = 'submission' | 'informationTable' | 'edgarSubmission' | 'ownershipDocument';

type DocumentFile = { readonly path: string; readonly kind: DocumentKind };

const OPENING_BYTES = 4096;
const SUBMISSION =
  /^(?:<(?:SEC|IMS)-(?:DOCUMENT|HEADER)>|<SUBMISSION>|-----BEGIN PRIVACY-ENHANCED MESSAGE-----)/;
const ROOTS: ReadonlySet<string> = new Set(['informationTable', 'edgarSubmission', 'ownershipDocument']);

/** Every 13F and ownership document below a folder, recognised by its first bytes, ordered by path. */
export function documentFiles(folder: string): DocumentFile[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
    .flatMap((path) => {
      const kind = kindOf(openingOf(join(folder, path)));
      return kind === null ? [] : [{ path, kind }];
    });
}

function kindOf(opening: string): DocumentKind | null {
  const text = opening.replace(/^(?:\ufeff|ï»¿)?\s*/, '');
  if (SUBMISSION.test(text)) return 'submission';
  const root = rootName(text);
  return root !== null && ROOTS.has(root) ? (root as DocumentKind) : null;
}

function openingOf(path: string): string {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(OPENING_BYTES);
    return buffer.toString('latin1', 0, readSync(file, buffer, 0, OPENING_BYTES, 0));
  } finally {
    closeSync(file);
  }
}
