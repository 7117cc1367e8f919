import { z } from 'zod';
import { type Accession, type IsoDate, parseAccession, parseCik, parseIsoDate } from '../../domain/ids.ts';
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

/** A filing in EDGAR's list of everything that was filed by or about a CIK. */
export type SubmittedFiling = {
  readonly accession: Accession;
  readonly form: string;
  readonly filedDate: IsoDate;
};

const columns = z.object({
  accessionNumber: z.array(z.string()),
  form: z.array(z.string()),
  filingDate: z.array(z.string()),
});
const firstPage = z.object({
  name: z.string().default(''),
  filings: z.object({ recent: columns, files: z.array(z.object({ name: z.string() })).default([]) }),
});

/** `CIK##########.json`: the name, the newest filings and the names of further pages. Throws `edgar_malformed`. */
export function parseSubmissions(bytes: Buffer) {
  const { name, filings } = readJson(bytes, firstPage);
  return { company: name, filings: filingsIn(filings.recent), pages: filings.files.map((file) => file.name) };
}

/** `CIK##########-submissions-001.json`: older filings. Throws `edgar_malformed`. */
export function parseSubmissionsPage(bytes: Buffer): readonly SubmittedFiling[] {
  return filingsIn(readJson(bytes, columns));
}

function readJson<T>(bytes: Buffer, shape: z.ZodType<T>): T {
  try {
    return shape.parse(JSON.parse(bytes.toString('utf8')));
  } catch (cause) {
    throw malformed('the list of submissions', 'it has an unknown shape', cause);
  }
}

/** The columns must be equally long: a shifted one would give filings another form. */
function filingsIn({ accessionNumber, form, filingDate }: z.infer<typeof columns>): SubmittedFiling[] {
  if (form.length !== accessionNumber.length || filingDate.length !== accessionNumber.length)
    throw malformed('the list of submissions', 'its columns differ in length');
  return accessionNumber.map((text, at) => {
    const accession = parseAccession(text);
    const filedDate = parseIsoDate(filingDate[at] ?? '');
    if (accession === null || filedDate === null)
      throw malformed('the list of submissions', `a line cannot be read: ${text.slice(0, 30)}`);
    return { accession, form: form[at] ?? '', filedDate };
  });
}
