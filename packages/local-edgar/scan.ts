import { type FileHandle, open, readdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { addDays, filingDateOf, firstDayOfYear } from '../../src/domain/calendar.ts';
import { compare } from '../../src/domain/compare.ts';
import {
  type Accession,
  type IsoDate,
  parseAccession,
  parseCik,
  parseIsoDate,
} from '../../src/domain/ids.ts';
import { quarterEndOf } from '../../src/domain/quarter.ts';
import { looksLikeSubmission } from '../../src/edgar/client/judge.ts';
import { isDataSetFile, isFailsName, quarterOfSecurityList } from '../../src/edgar/urls.ts';
import { type HeaderFacts, scanHeader } from './header-scan.ts';

export type LocalFiling = {
  readonly path: string;
  readonly bytes: number;
  readonly accession: Accession;
  readonly form: string;
  readonly filedDate: IsoDate;
  /** Set where the header has no date. Such a file cannot be read. */
  readonly isUndated: boolean;
  readonly acceptance: string | null;
  readonly parties: HeaderFacts['parties'];
};

/** A folder as it is served: up to the as-of date. */
export type ServedFolder = {
  /** Newest first: by filing date, acceptance, accession. */
  readonly filings: readonly LocalFiling[];
  /** Paths of the reference files by the name that EDGAR gives them: tickers, fails, official lists, data sets. */
  readonly extras: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
  /** EDGAR has more than the folder: the indexes then say so. */
  readonly isSelection: boolean;
};

const HEAD_BYTES = 64 * 1_024;
const NAMED = /^(\d{10}-?\d{2}-?\d{6})(?:\.(?:txt|nc))?$/;

/**
 * Finds full submissions anywhere below a folder; reads only their heads. A file counts when it begins
 * like a submission or is named `<accession>.txt`: a broken one must be listed to reach quarantine.
 * Of two files with one accession, the first by path counts.
 */
export async function scanFolder(dir: string) {
  const filings = new Map<Accession, LocalFiling>();
  const extras = new Map<string, string>();
  const warnings: string[] = [];
  for (const path of await filesBelow(dir)) {
    const name = basename(path);
    if (isReferenceFile(name)) {
      if (!extras.has(name)) extras.set(name, path);
      continue;
    }
    const filing = await readFiling(path);
    if (filing === null) continue;
    if (filing.isUndated)
      warnings.push(`${relative(dir, path)} has no filing date: listed on the first that it can have`);
    const known = filings.get(filing.accession);
    if (known)
      warnings.push(`${relative(dir, path)} has the accession of ${relative(dir, known.path)}: left out`);
    else filings.set(filing.accession, filing);
  }
  return { filings: [...filings.values()].sort(newestFirst), extras, warnings };
}

/** Not a submission, and served under its own name. */
function isReferenceFile(name: string): boolean {
  if (name === 'company_tickers.json' || isFailsName(name)) return true;
  return quarterOfSecurityList(name) !== null || isDataSetFile(name);
}

async function filesBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/(^|\/)(\.[^/]+|node_modules)(\/|$)/.test(relative(dir, path)))
    .sort();
}

async function readFiling(path: string): Promise<LocalFiling | null> {
  const file = await open(path);
  try {
    const head = await readHead(file);
    const named = NAMED.exec(basename(path))?.[1] ?? '';
    if (named === '' && !looksLikeSubmission(head)) return null;
    // EDGAR's index knows the date of a submission in UTF-16 too, which is refused.
    const text = head.toString('latin1').replaceAll('\0', '');
    const facts = scanHeader(text);
    // EDGAR serves a file under its name even if its header names another; the parser compares them.
    const folder = NAMED.exec(basename(dirname(path)))?.[1] ?? '';
    const accession = parseAccession(named) ?? facts.accession ?? parseAccession(folder);
    if (accession === null) return null;
    const { size } = await file.stat();
    return { path, bytes: size, accession, ...listed(accession, facts, `${path}\n${text}`) };
  } finally {
    await file.close();
  }
}

async function readHead(file: FileHandle): Promise<Buffer> {
  const buffer = Buffer.alloc(HEAD_BYTES);
  const { bytesRead } = await file.read(buffer, 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** What the header does not say is guessed, so that the file can be listed, fetched and refused. */
function listed(
  accession: Accession,
  facts: HeaderFacts,
  hints: string,
): Pick<LocalFiling, 'form' | 'filedDate' | 'isUndated' | 'acceptance' | 'parties'> {
  const { acceptance, parties } = facts;
  const isOwnership = /<ownershipDocument|rptOwnerCik|form-?_?4\b/i.test(hints);
  const form = facts.form ?? (isOwnership ? '4' : '13F-HR');
  const accepted = acceptance === null ? null : filingDateOf(acceptance, form);
  const dated = facts.filedDate ?? accepted;
  const [isUndated, filedDate] = [dated === null, dated ?? firstDayOf(accession, isOwnership, hints)];
  if (parties.length > 0) return { form, filedDate, isUndated, acceptance, parties };
  const printed = /<(?:\w+:)?(?:issuerCik|cik)>(\d{1,10})</i.exec(hints)?.[1] ?? accession.slice(0, 10);
  const cik = parseCik(printed);
  const role = isOwnership ? 'Issuer' : 'Filer';
  return {
    form,
    filedDate,
    isUndated,
    acceptance,
    parties: cik === null ? [] : [{ role, cik, name: 'UNKNOWN' }],
  };
}

/**
 * The first day on which a file without any date in its header can have been filed: in the accession's year, and after
 * the quarter of its cover, or the day of its trades, where the document says it. A later day might hide it.
 */
function firstDayOf(accession: Accession, isOwnership: boolean, hints: string): IsoDate {
  const year = Number(accession.slice(11, 13));
  const last = quarterEndOf((year >= 90 ? 1900 : 2000) + year, 4);
  const first = firstDayOfYear(last);
  const [, period = ''] =
    /<(?:\w+:)?(?:periodOfReport|reportCalendarOrQuarter)>\s*(\d[\d-]{9})/.exec(hints) ?? [];
  const day = parseIsoDate(period.replace(/^(\d\d)-(\d\d)-(\d{4})$/, '$3-$1-$2'));
  if (day === null || day < first || day > last) return first;
  return isOwnership ? day : addDays(day, 1);
}

function newestFirst(a: LocalFiling, b: LocalFiling): number {
  const key = (filing: LocalFiling): string =>
    `${filing.filedDate} ${filing.acceptance ?? ''} ${filing.accession}`;
  return compare(key(b), key(a));
}
