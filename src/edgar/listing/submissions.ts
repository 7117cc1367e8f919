import { z } from 'zod';
import { type Accession, type IsoDate, parseAccession, parseIsoDate } from '../../domain/ids.ts';
import { malformed } from '../error.ts';

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
