import type { Db } from 'mongodb';
import { statedBy } from '../derive/report/issuer-statements.ts';
import { type FilingHeader, subjectOf } from '../domain/filing/filing.ts';
import type { Cik } from '../domain/ids.ts';
import type { Columns, DataSetFiling, DataSetFormat } from '../forms/data-set.ts';
import { DATA_SETS } from '../forms/data-sets.ts';
import { FORMS, type FormModule, formFor, ParseError } from '../forms/index.ts';
import { discovered, knownAmong, type Quarantine, quarantined } from '../store/filing/claims.ts';
import type { UnitFailure, UnitResult } from '../store/filing/data-sets.ts';
import { type FilingDoc, filingsIn } from '../store/filing/filings.ts';
import { parsedFields } from '../store/filing/parsed.ts';
import { insertRows, rowsToStore } from '../store/filing/rows.ts';
import { fitsInt64 } from '../store/mongo/pack.ts';
import type { PageDoc } from '../store/mongo/pages.ts';
import { insertNew, JOURNALED } from '../store/mongo/write.ts';
import { saveMappings } from '../store/security/securities.ts';
import { NO_FOLLOWERS, NO_RESULT, type Unit } from './unit.ts';
import { headerIn } from './units.ts';

type Work = Extract<Unit['work'], { stage: 'filings' }>;
type Source = { readonly dataSet: string; readonly at: string };

/**
 * Stores the filings of a unit as parsed: rows first, then the documents that point at them. A filing that
 * is stored in any state stays as it is, because its document knows more. One that cannot be read is
 * quarantined, and the others go on.
 */
export async function importFilings(db: Db, work: Work, source: Source): Promise<UnitResult> {
  const known = new Set(
    await knownAmong(
      db,
      work.filings.map(({ accession }) => accession),
    ),
  );
  const unit = { format: DATA_SETS[work.kind], columns: work.columns, ...source };
  const docs: FilingDoc[] = [];
  const failures: UnitFailure[] = [];
  const pages: PageDoc[] = [];
  for (const filing of work.filings.filter(({ accession }) => !known.has(accession))) {
    const outcome = filingDoc(filing, unit, pages);
    if (outcome === null) continue;
    if ('_id' in outcome) docs.push(outcome);
    const { quarantine } = outcome;
    if (quarantine !== null)
      failures.push({ key: filing.accession, code: quarantine.code, reason: quarantine.reason });
  }
  // All of them together: a command for each would cost more than its pages.
  await insertRows(db, pages);
  const parsed = docs.filter(({ state }) => state === 'parsed');
  await saveMappings(
    db,
    parsed.flatMap((doc) => (doc.followers.includes('brief') ? statedBy(doc) : [])),
  );
  await insertNew(filingsIn(db), docs, JOURNALED);
  return {
    ...NO_RESULT,
    filings: parsed.length,
    rows: docs.reduce((sum, { rows }) => sum + (rows?.count ?? 0), 0),
    known: known.size,
    failures,
    followers: { ...NO_FOLLOWERS, issuers: issuersOf(work.filings, unit) },
  };
}

/** Of all filings of the unit: one that was interrupted finds its own ones known. */
function issuersOf(filings: readonly DataSetFiling[], { format, columns }: Of): Cik[] {
  const issuers = new Set<Cik>();
  for (const filing of filings) {
    const header = headerIn(format, filing, columns);
    const form = header === null ? null : formFor(FORMS, header.form);
    if (form?.followers.includes('insider')) for (const { cik } of header?.filers ?? []) issuers.add(cik);
  }
  return [...issuers].sort();
}

type Of = Source & { readonly format: DataSetFormat; readonly columns: Columns };
type Refused = Pick<FilingDoc, 'quarantine'>;

/**
 * The filing as it is stored; the pages of its rows are added. Null for a form that is not carried. A filing
 * that does not even say who filed it has no document.
 */
function filingDoc(filing: DataSetFiling, of: Of, pages: PageDoc[]): FilingDoc | Refused | null {
  let listed: Listed | null = null;
  try {
    const header = of.format.header(filing, of.columns);
    const form = formFor(FORMS, header.form);
    if (form === null) return null;
    listed = { doc: listedDoc(header, form, of), form, filing, header };
    return parsedDoc(listed, of, pages);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const why = { code: error.code, reason: error.message, at: of.at };
    return listed === null ? { quarantine: why } : refusedDoc(listed, why);
  }
}

function refusedDoc({ doc, header }: Listed, why: Quarantine): FilingDoc {
  return { ...doc, ...quarantined(doc, { ...why, subject: subjectOf(header) }).$set };
}

/** As an index would list it. */
function listedDoc(header: FilingHeader, { leg }: FormModule, { dataSet, at }: Source): FilingDoc {
  const { accession, form, filedDate, filers } = header;
  const [party] = filers;
  if (party === undefined) throw new ParseError('header_invalid', 'no filer');
  const found = { accession, cik: party.cik, form, leg, company: party.name, filedDate };
  return { ...discovered(found, at), dataSet };
}

type Listed = {
  readonly doc: FilingDoc;
  readonly form: FormModule;
  readonly filing: DataSetFiling;
  readonly header: FilingHeader;
};

function parsedDoc(listed: Listed, of: Of, pages: PageDoc[]): FilingDoc {
  const { doc, form, filing } = listed;
  const parsed = of.format.read(filing, of.columns);
  const { rows, ...stored } = form.stored(parsed);
  if (!fitsInt64(Object.values(stored.content).filter((value) => typeof value === 'bigint'))) {
    const why = { code: 'value_out_of_range', reason: 'the values exceed 64 bits', at: of.at };
    return refusedDoc(listed, why);
  }
  const { accession } = filing;
  const { parserVersion } = of.format;
  const source = `${parserVersion}|${of.dataSet}`;
  const table = rows === null ? null : rowsToStore({ accession, source }, rows);
  pages.push(...(table?.docs ?? []));
  return {
    ...doc,
    ...parsedFields({
      header: parsed.header,
      stored,
      rows: table?.stored ?? null,
      form,
    }),
    parserVersion,
    retrievedAt: of.at,
    // What follows is computed by the import, and a filing of years ago is no news.
    event: 'none',
    derive: 'done',
  };
}
