import { type Accession, parseAccession, parseCik, parseIsoDate } from '../../domain/ids.ts';
import { malformed } from '../error.ts';

export type DailyIndex = ReturnType<typeof parseMasterIndex>;

/**
 * Parses `master.YYYYMMDD.idx` (`CIK|Company Name|Form Type|Date Filed|File Name`). Names are read
 * as Latin-1, because the file is not always UTF-8. Throws `edgar_malformed` when the header is
 * missing or a row is cut, so that a truncated index never counts as a reconciled day.
 */
export function parseMasterIndex(bytes: Buffer) {
  const text = bytes.toString('latin1');
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const header = lines.findIndex((line) => line.startsWith('CIK|'));
  const description = /^Description:(.*)$/m.exec(text.slice(0, 2_048))?.[1]?.trim() ?? '';
  if (header < 0 || description === '') throw malformed('the daily index', 'its header is missing');
  if (lines.at(-1) !== '') throw malformed('the daily index', 'its last row is cut');
  const rows = new Map<Accession, ReturnType<typeof parseRow>>();
  for (const line of lines.slice(header + 1)) {
    if (line.trim() === '' || line.startsWith('---')) continue;
    const row = parseRow(line);
    if (!rows.has(row.accession)) rows.set(row.accession, row);
  }
  return {
    /** One per accession, the co-registrant listed first, in the order of the file. */
    rows: [...rows.values()],
    /** The header says that it lists a selection: absence then proves nothing about EDGAR. */
    isSelection: /\bselection\b/i.test(description),
  };
}

/** Reads from both ends, because a company name may contain the separator. */
function parseRow(line: string) {
  const fields = line.split('|');
  const cik = parseCik(fields[0] ?? '');
  const accession = parseAccession(/^(?:.*\/)?([^/]+)\.txt$/.exec((fields.at(-1) ?? '').trim())?.[1] ?? '');
  const filedDate = parseIsoDate(fields.at(-2) ?? '');
  const form = (fields.at(-3) ?? '').trim();
  if (fields.length < 5 || cik === null || accession === null || filedDate === null || form === '') {
    throw malformed('the daily index', `a row cannot be read: ${line.slice(0, 120)}`);
  }
  const company = fields.slice(1, -3).join('|').trim();
  return { cik, company, form, filedDate, accession };
}
