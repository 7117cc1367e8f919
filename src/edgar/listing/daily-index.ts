import {
  type Accession,
  type Cik,
  type IsoDate,
  isIsoDate,
  parseAccession,
  parseCik,
} from '../../domain/ids.ts';
import { EdgarError } from '../edgar-error.ts';

export type IndexRow = {
  /** The co-registrant listed first. */
  readonly cik: Cik;
  /** Everyone that the filing is listed under. */
  readonly ciks: readonly Cik[];
  readonly company: string;
  readonly form: string;
  readonly filedDate: IsoDate;
  readonly accession: Accession;
};

export type DailyIndex = {
  /** One per accession, in the order of the file. */
  readonly rows: readonly IndexRow[];
  /** Rows as listed, co-registrants included: for the sanity check against other days. */
  readonly listed: number;
  /** The header's first line, e.g. `Daily Index of EDGAR Dissemination Feed`. */
  readonly description: string;
  /** The header says that it lists a selection: absence then proves nothing about EDGAR. */
  readonly isSelection: boolean;
};

/**
 * Parses `master.YYYYMMDD.idx` (`CIK|Company Name|Form Type|Date Filed|File Name`). Names are read
 * as Latin-1: the file is not always UTF-8. Throws `edgar_malformed` when the header is missing or
 * a row is cut, so that a truncated index never counts as a reconciled day.
 */
export function parseMasterIndex(bytes: Buffer): DailyIndex {
  const text = bytes.toString('latin1');
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const header = lines.findIndex((line) => line.startsWith('CIK|'));
  const description = /^Description:\s*(.+?)\s*$/m.exec(text.slice(0, 2_048))?.[1] ?? '';
  if (header < 0 || description === '') throw malformed('its header is missing');
  if (lines.at(-1) !== '') throw malformed('its last row is cut');
  const listed = lines
    .slice(header + 1)
    .filter((line) => line.trim() !== '' && !line.startsWith('---'))
    .map(parseRow);
  return {
    rows: byAccession(listed),
    listed: listed.length,
    description,
    isSelection: /\bselection\b/i.test(description),
  };
}

function byAccession(listed: readonly IndexRow[]): readonly IndexRow[] {
  const rows = new Map<Accession, IndexRow>();
  for (const row of listed) {
    const known = rows.get(row.accession);
    if (!known) rows.set(row.accession, row);
    else if (!known.ciks.includes(row.cik)) {
      rows.set(row.accession, { ...known, ciks: [...known.ciks, row.cik] });
    }
  }
  return [...rows.values()];
}

/** Read from both ends: a company name may hold the separator. */
function parseRow(line: string): IndexRow {
  const fields = line.split('|');
  const cik = parseCik(fields[0] ?? '');
  const accession = parseAccession(/([^/]+)\.txt$/.exec((fields.at(-1) ?? '').trim())?.[1] ?? '');
  const filedDate = toDate(fields.at(-2) ?? '');
  const form = (fields.at(-3) ?? '').trim();
  if (fields.length < 5 || cik === null || accession === null || filedDate === null || form === '') {
    throw malformed(`a row cannot be read: ${line.slice(0, 120)}`);
  }
  const company = fields.slice(1, -3).join('|').trim();
  return { cik, ciks: [cik], company, form, filedDate, accession };
}

/** `20181231` in daily files, `2018-12-31` in full ones. */
function toDate(text: string): IsoDate | null {
  const iso = text.trim().replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  return isIsoDate(iso) ? iso : null;
}

function malformed(why: string): EdgarError {
  return new EdgarError('edgar_malformed', `the daily index cannot be read: ${why}`, { retry: true });
}
