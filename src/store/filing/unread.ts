import type { Db } from 'mongodb';
import { newestEndedQuarter } from '../../domain/calendar.ts';
import type { Accession, Cik, IsoDate, QuarterEnd } from '../../domain/ids.ts';
import { type FilingDoc, filingsIn } from './filings.ts';

/** A Form 13F that was filed and cannot be read, whatever it says of any security. */
export type UnreadReport = Pick<FilingDoc, 'cik' | 'form' | 'filedDate'> & {
  readonly accession: Accession;
  /** Of its header; of one without, the last quarter that had ended when it was filed. */
  readonly quarterEnd: QuarterEnd;
};

type Filed = { readonly since: IsoDate; readonly asOf: IsoDate };

const FIELDS = { cik: 1, form: 1, filedDate: 1, quarantine: 1 };

/** Those filed from `since` to the as-of date, ignored ones included: they were filed (rule 13.2). */
export async function unreadReports(db: Db, { since, asOf }: Filed): Promise<UnreadReport[]> {
  const filedDate = { $gte: since, $lte: asOf };
  return reportsWhere(db, { filedDate });
}

/** Those of one manager. */
export async function unreadReportsOf(db: Db, cik: Cik): Promise<UnreadReport[]> {
  return reportsWhere(db, { cik });
}

async function reportsWhere(db: Db, where: object): Promise<UnreadReport[]> {
  const docs = await filingsIn(db)
    .find({ state: 'quarantined', leg: 'thirteen_f', ...where }, { projection: FIELDS })
    .sort({ _id: 1 })
    .toArray();
  return docs.map(({ _id, cik, form, filedDate, quarantine }) => ({
    ...{ accession: _id, cik, form, filedDate },
    quarterEnd: quarantine?.quarterEnd ?? newestEndedQuarter(filedDate),
  }));
}

/** Whose forms are asked for: of both, those that name both; of neither, all. */
type Parties = { readonly issuerCik?: Cik | null; readonly ownerCik?: Cik | null };
type Days = { readonly since: IsoDate; readonly asOf: IsoDate };

/** The Forms 4 filed on these days that cannot be read, by accession number. One whose owners are not known may be anybody's. */
export async function unreadForms(
  db: Db,
  { issuerCik = null, ownerCik = null }: Parties,
  { since, asOf }: Days,
): Promise<Accession[]> {
  const where = { filedDate: { $gte: since, $lte: asOf }, state: 'quarantined', leg: 'form4' } as const;
  const docs = await filingsIn(db)
    .find(issuerCik === null ? where : { ...where, issuerCik }, { projection: { reportingOwnerCiks: 1 } })
    .toArray();
  const own = docs.filter(
    ({ reportingOwnerCiks: owners }) => ownerCik === null || owners.length === 0 || owners.includes(ownerCik),
  );
  return own.map(({ _id }) => _id).sort();
}
