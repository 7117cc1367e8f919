import { readFileSync } from 'node:fs';
import type { FilingHeader, ParsedFiling } from '../../src/domain/filing/filing.ts';
import { isIsoDate, parseAccession } from '../../src/domain/ids.ts';
import { tradeOf } from '../../src/domain/insider/trade.ts';
import { AppError } from '../../src/errors.ts';
import { decodeSubmission } from '../../src/forms/decode.ts';
import { form4 } from '../../src/forms/form-4/form-4.ts';
import { type Cover, readCover } from '../../src/forms/form-13f/cover.ts';
import { readInfoTable } from '../../src/forms/form-13f/info-table.ts';
import { ParseError, parseFiling } from '../../src/forms/index.ts';
import { parseOwnershipXml } from '../../src/forms/ownership/document.ts';
import { asText } from '../../src/forms/source.ts';
import type { DocumentKind } from './document-file.ts';

/** The result of our parsers for a file: its content, or the code of its quarantine. */
type Reading =
  | { readonly outcome: 'read'; readonly filing: Read }
  | { readonly outcome: 'refused'; readonly code: string; readonly detail: string };

type Read =
  | ParsedFiling
  | { readonly kind: 'cover'; readonly cover: Cover }
  | { readonly kind: 'table'; readonly rows: ReturnType<typeof readInfoTable> };

/** Reads one file with the parsers of the product. */
export function readingOf(path: string, kind: DocumentKind): Reading {
  try {
    return { outcome: 'read', filing: withKinds(readBytes(readFileSync(path), kind)) };
  } catch (error) {
    if (error instanceof ParseError) return { outcome: 'refused', code: error.code, detail: error.message };
    throw error;
  }
}

function readBytes(bytes: Uint8Array, kind: DocumentKind): Read {
  if (kind === 'submission') return parseFiling(bytes);
  const xml = asText(decodeSubmission(bytes))
    .replace(/^\ufeff/, '')
    .trim();
  if (kind === 'edgarSubmission') return { kind: 'cover', cover: readCover(xml) };
  if (kind === 'informationTable') return { kind: 'table', rows: readInfoTable(xml) };
  const header = looseHeader(/<documentType>\s*([^<\s]*)/.exec(xml)?.[1] ?? '');
  return parseOwnershipXml(xml, header, form4.carries);
}

/** The kind of each open-market trade beside its row (rule 6.11). */
function withKinds(filing: Read): Read {
  if (filing.kind !== 'ownership') return filing;
  const rows = filing.rows.map((row) => ({
    ...row,
    kind: row.rowKind === 'transaction' ? tradeOf(filing, row).kind : null,
  }));
  return { ...filing, rows };
}

/** A document without a submission has no header. This one has only its form type, and is not compared. */
function looseHeader(form: string): FilingHeader {
  const accession = parseAccession('0000000000-00-000000');
  const filedDate = '2099-12-31';
  if (accession === null || !isIsoDate(filedDate)) throw new AppError('loose_header', 'not a header');
  return { accession, form, filedDate, acceptedAt: null, periodOfReport: null, filers: [] };
}
