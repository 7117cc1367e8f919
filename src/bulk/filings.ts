import type { Db } from 'mongodb';
import { invalidateFilingFollowers } from '../derive/report/filing-followers.ts';
import { type FilingHeader, subjectOf } from '../domain/filing/filing.ts';
import type { Columns, DataSetFiling, DataSetFormat } from '../forms/data-set.ts';
import { FORMS, type FormModule, formFor, ParseError } from '../forms/index.ts';
import { discovered, type Quarantine, quarantined } from '../store/filing/claims.ts';
import { type FilingDoc, filingsIn } from '../store/filing/filings.ts';
import { outOfRange, parsedFields } from '../store/filing/parsed.ts';
import { insertRows, rowsToStore } from '../store/filing/rows.ts';
import { findByIds } from '../store/mongo/lists.ts';
import type { PageDoc } from '../store/mongo/pages.ts';
import { insertNew, JOURNALED } from '../store/mongo/write.ts';

/** Where filings come from, and when they are imported. */
export type Source = {
  readonly dataSet: string;
  /** SHA-256 (hex) of the bytes of the data set. */
  readonly digest: string;
  readonly format: DataSetFormat;
  readonly columns: Columns;
  readonly at: string;
};

/** What is stored of some filings, whoever imported them. */
export type Imported = {
  readonly filings: number;
  readonly rows: number;
  /** Filings that are stored from a document or another data set: they stay. */
  readonly known: number;
  /** Filings that cannot be read. */
  readonly failures: readonly ImportFailure[];
};

type ImportFailure = { readonly key: string; readonly code: string; readonly reason: string };

/**
 * Stores filings as parsed, rows first, then the documents that point at them, and invalidates what follows as the job
 * `parse` does; after a crash in between dispatch does. A filing that is stored in any state stays as it is, because its
 * document knows more. One that cannot be read is quarantined, and the others go on. The same filings again change
 * nothing.
 */
export async function importFilings(
  db: Db,
  filings: readonly DataSetFiling[],
  source: Source,
): Promise<Imported> {
  const ids = filings.map(({ accession }) => accession);
  const fields = { dataSet: 1, state: 1, rows: 1, quarantine: 1 };
  const known = await findByIds(filingsIn(db), ids, fields);
  const isKnown = new Set(known.map(({ _id }) => _id));
  const pages: PageDoc[] = [];
  const fresh = filings.filter(({ accession }) => !isKnown.has(accession));
  const outcomes = fresh.flatMap((filing) => filingDoc(filing, source, pages) ?? []);
  const docs = outcomes.flatMap((outcome) => ('_id' in outcome ? [outcome] : []));
  // All of them together: a command for each would cost more than its pages.
  await insertRows(db, pages);
  const added = await insertNew(filingsIn(db), docs, JOURNALED);
  const parsed = added.flatMap((place) => docs[place] ?? []).filter(({ state }) => state === 'parsed');
  if (parsed.length > 0) await invalidateFilingFollowers(db, parsed);
  const unknown = outcomes.flatMap((outcome) => ('_id' in outcome ? [] : [outcome]));
  return tally([...known, ...docs], unknown, source);
}

type Stored = Pick<FilingDoc, '_id' | 'state' | 'rows' | 'quarantine'> & Pick<Partial<FilingDoc>, 'dataSet'>;

function tally(stored: readonly Stored[], unknown: readonly ImportFailure[], { dataSet }: Source): Imported {
  const own = stored.filter((doc) => doc.dataSet === dataSet);
  const parsed = own.filter(({ state }) => state === 'parsed');
  const failures = own.flatMap(({ _id: key, state, quarantine }) =>
    state === 'quarantined' && quarantine !== null
      ? [{ key, code: quarantine.code, reason: quarantine.reason }]
      : [],
  );
  return {
    filings: parsed.length,
    rows: parsed.reduce((sum, { rows }) => sum + Number(rows?.count ?? 0), 0),
    known: stored.length - own.length,
    failures: [...failures, ...unknown],
  };
}

/**
 * The filing as it is stored; the pages of its rows are added. Null for a form that is not carried. A filing
 * that does not even say who filed it has no document.
 */
function filingDoc(
  filing: DataSetFiling,
  source: Source,
  pages: PageDoc[],
): FilingDoc | ImportFailure | null {
  let listed: Listed | null = null;
  try {
    const header = source.format.header(filing, source.columns);
    const form = formFor(FORMS, header.form);
    if (form === null) return null;
    listed = { doc: listedDoc(header, form, source), form, filing, header };
    return parsedDoc(listed, source, pages);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const { code, message: reason } = error;
    if (listed === null) return { key: filing.accession, code, reason };
    return refusedDoc(listed, { code, reason, at: source.at });
  }
}

type Listed = {
  readonly doc: FilingDoc;
  readonly form: FormModule;
  readonly filing: DataSetFiling;
  readonly header: FilingHeader;
};

/** As an index would list it. */
function listedDoc(header: FilingHeader, { leg }: FormModule, { dataSet, at }: Source): FilingDoc {
  const { accession, form, filedDate, filers } = header;
  const [party] = filers;
  if (party === undefined) throw new ParseError('header_invalid', 'no filer');
  const found = { accession, cik: party.cik, form, leg, company: party.name, filedDate };
  return { ...discovered(found, at), dataSet };
}

function refusedDoc({ doc, header }: Listed, why: Quarantine): FilingDoc {
  return { ...doc, ...quarantined(doc, { ...why, subject: subjectOf(header) }).$set };
}

function parsedDoc(listed: Listed, source: Source, pages: PageDoc[]): FilingDoc {
  const { format, columns, dataSet, digest, at } = source;
  const { doc, form, filing } = listed;
  const parsed = format.read(filing, columns);
  const { rows, ...stored } = form.stored(parsed);
  const refusal = outOfRange(stored);
  if (refusal !== null) return refusedDoc(listed, { ...refusal, at });
  const { parserVersion } = format;
  // Another edition of the set may find pages of an import that died ahead of its filings.
  const table = { accession: filing.accession, source: `${parserVersion}|${dataSet}|${digest.slice(0, 16)}` };
  const toStore = rows === null ? null : rowsToStore(table, rows);
  pages.push(...(toStore?.docs ?? []));
  return {
    ...doc,
    ...parsedFields({ header: parsed.header, stored, rows: toStore?.stored ?? null, form }),
    parserVersion,
    retrievedAt: at,
    // A filing of years ago is no news.
    event: 'none',
    derive: 'pending',
  };
}
