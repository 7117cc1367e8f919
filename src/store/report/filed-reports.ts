import type { Binary, Db } from 'mongodb';
import type { Accession, Cik, Cusip, IsoDate } from '../../domain/ids.ts';
import type { FiledPosition, FiledReport } from '../../domain/peers/filed-quarter.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import type { NamedManagers } from '../../domain/report/other-manager.ts';
import { type EffectiveReport, isContributing, isEquity } from '../../domain/report/report.ts';
import { type ReportKey, reportId } from '../filing/filings.ts';
import { deleteByIds, existingAmong, findByIds } from '../mongo/lists.ts';
import { digestOfText, packText, unpack } from '../mongo/pack.ts';
import { insertNew } from '../mongo/write.ts';
import type { DigestKey } from './slices.ts';

/**
 * The equity of a report as filed, without anything that a comparison or other filers add: the input of
 * the peers. It is one document under the digest of its content and never changes.
 */
type FiledReportDoc = { _id: string; packed: Binary };

const filedIn = (db: Db) => db.collection<FiledReportDoc>('filed_reports');

const documentId = ({ cik, quarterEnd, digest }: DigestKey): string => `${cik}|${quarterEnd}|${digest}`;

/** A list for each field of the positions, because lists of one kind are small and fast. */
type Content = {
  readonly isComparable: boolean;
  readonly named: NamedManagers;
  readonly filings: readonly (readonly [Accession, IsoDate])[];
  readonly cusips: readonly Cusip[];
  readonly issuers: readonly string[];
  /** Decimal text where a number would not be exact. */
  readonly amounts: readonly (number | string)[];
  readonly values: readonly (number | string)[];
  /** Places in `filings`; null for a position of several. */
  readonly places: readonly (number | null)[];
  /** Of the few positions that have any, by their places. */
  readonly reasons: Readonly<Record<number, readonly Reason[]>>;
};

/** `json`: the content as text. */
export type PackedReport = { readonly digest: string; readonly json: string };

export function filedReport(report: EffectiveReport): FiledReport {
  return {
    cik: report.cik,
    isComparable: report.state === 'holdings' && !report.reasons.includes('shares_equal_value'),
    named: {
      name: report.managerName,
      fileNumber: report.form13fFileNumber,
      reportedBy: report.reportedBy,
      includes: report.includes,
    },
    filings: report.filings
      .filter(isContributing)
      .map(({ accession, filedDate }) => ({ accession, filedDate })),
    positions: report.positions
      .filter(isEquity)
      .map(({ cusip, issuer, amount, filedValueCents, accessions, reasons }) => ({
        cusip,
        issuer,
        amount,
        valueCents: filedValueCents,
        accession: accessions.length === 1 ? (accessions[0] ?? null) : null,
        reasons,
      })),
  };
}

/** The digest is equal for equal filings, whatever their comparison shows. */
export function packFiled({ isComparable, named, filings, positions }: FiledReport): PackedReport {
  const places = new Map(filings.map(({ accession }, place) => [accession, place]));
  const content: Content = {
    isComparable,
    named,
    filings: filings.map(({ accession, filedDate }) => [accession, filedDate] as const),
    cusips: positions.map(({ cusip }) => cusip),
    issuers: positions.map(({ issuer }) => issuer),
    amounts: positions.map(({ amount }) => jsonOf(amount)),
    values: positions.map(({ valueCents }) => jsonOf(valueCents)),
    places: positions.map(({ accession }) => (accession && places.get(accession)) ?? null),
    reasons: Object.fromEntries(
      positions.flatMap(({ reasons }, at) => (reasons.length === 0 ? [] : [[at, reasons]])),
    ),
  };
  const json = JSON.stringify(content);
  return { digest: digestOfText(json), json };
}

function jsonOf(amount: bigint): number | string {
  const number = Number(amount);
  return Number.isSafeInteger(number) ? number : amount.toString();
}

/** The document of a report, for {@link insertFiled}. */
export function filedDoc(key: ReportKey, { digest, json }: PackedReport): FiledReportDoc {
  return { _id: documentId({ ...key, digest }), packed: packText(json) };
}

/** Inserting the same digest twice, or at the same time as another worker, changes nothing. */
export async function insertFiled(db: Db, docs: readonly FiledReportDoc[]): Promise<void> {
  await insertNew(filedIn(db), docs);
}

/** The reports under these digests, in any order. What is not stored is left out. */
export async function readFiled(db: Db, keys: readonly DigestKey[]): Promise<FiledReport[]> {
  const ciks = new Map(keys.map((key) => [documentId(key), key.cik]));
  const docs = await findByIds(filedIn(db), ciks.keys());
  return docs.map(({ _id, packed }) => unpacked(ciks.get(_id) as Cik, unpack<Content>(packed)));
}

/** The ids of those reports that are stored under these digests. */
export async function storedFiled(db: Db, keys: readonly DigestKey[]): Promise<Set<string>> {
  const found = await existingAmong(filedIn(db), keys.map(documentId));
  return new Set(keys.filter((key) => found.has(documentId(key))).map(reportId));
}

export async function dropFiled(db: Db, key: DigestKey): Promise<void> {
  await deleteByIds(filedIn(db), [documentId(key)]);
}

function unpacked(cik: Cik, content: Content): FiledReport {
  const { isComparable, named, filings, cusips, issuers, amounts, values, places, reasons } = content;
  const positions = cusips.map((cusip, at): FiledPosition => {
    const place = places[at] ?? null;
    return {
      cusip,
      issuer: issuers[at] as string,
      amount: BigInt(amounts[at] as number | string),
      valueCents: BigInt(values[at] as number | string),
      accession: place === null ? null : (filings[place]?.[0] ?? null),
      reasons: reasons[at] ?? [],
    };
  });
  const dated = filings.map(([accession, filedDate]) => ({ accession, filedDate }));
  return { cik, isComparable, named, filings: dated, positions };
}
