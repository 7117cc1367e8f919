import type { FilingHeader, InfoTableRow, ThirteenF } from '../../domain/filing/filing.ts';
import { parseCik } from '../../domain/ids.ts';
import {
  type Columns,
  type DataSetFiling,
  type DataSetFormat,
  type DataSetRecord,
  dataSetDay,
  fieldsOf,
  monthOf,
  recordsIn,
} from '../data-set.ts';
import { MAX_ROWS, ParseError, unreadable } from '../parse-error.ts';
import { type Cover, type CoverTexts, coverOf, otherManagerOf } from './cover.ts';
import { infoRowReader } from './info-row.ts';
import { assembled, checkCover } from './thirteen-f.ts';

/** In the order of `ROW_FIELDS`. */
const ROW_COLUMNS = [
  'NAMEOFISSUER',
  'TITLEOFCLASS',
  'CUSIP',
  'VALUE',
  'SSHPRNAMT',
  'SSHPRNAMTTYPE',
  'PUTCALL',
  'INVESTMENTDISCRETION',
  'OTHERMANAGER',
  'VOTING_AUTH_SOLE',
  'VOTING_AUTH_SHARED',
  'VOTING_AUTH_NONE',
] as const;
const ROW_KEY = 'INFOTABLE_SK';

/** The Form 13F data sets: one for each quarter of filing dates, since XML began in May 2013. */
export const thirteenFDataSet: DataSetFormat = {
  form: '13F-HR',
  parserVersion: '13f-tsv-1',
  tables: {
    SUBMISSION: ['ACCESSION_NUMBER', 'FILING_DATE', 'SUBMISSIONTYPE', 'CIK', 'PERIODOFREPORT'],
    COVERPAGE: ['ACCESSION_NUMBER', 'REPORTCALENDARORQUARTER', 'AMENDMENTTYPE', 'REPORTTYPE'],
    SUMMARYPAGE: ['ACCESSION_NUMBER', 'TABLEENTRYTOTAL', 'TABLEVALUETOTAL', 'ISCONFIDENTIALOMITTED'],
    OTHERMANAGER: ['ACCESSION_NUMBER', 'CIK', 'FORM13FFILENUMBER', 'NAME'],
    OTHERMANAGER2: ['ACCESSION_NUMBER', 'SEQUENCENUMBER', 'CIK', 'FORM13FFILENUMBER', 'NAME'],
    INFOTABLE: ['ACCESSION_NUMBER', ROW_KEY, ...ROW_COLUMNS],
  },
  streamed: 'INFOTABLE',
  header: headerOf,
  read: readThirteenF,
};

function readThirteenF(filing: DataSetFiling, columns: Columns): ThirteenF {
  const header = headerOf(filing, columns);
  const [page] = recordsIn('COVERPAGE', filing, columns);
  if (page === undefined) throw new ParseError('cover_missing', 'COVERPAGE has no line');
  const cover = coverIn(filing, page, columns);
  checkCover(cover, header);
  const rows = cover.reportType === 'notice' ? [] : rowsOf(filing, columns['INFOTABLE'] ?? []);
  return assembled(header, cover, { rows, textConfidence: null });
}

function headerOf(filing: DataSetFiling, columns: Columns): FilingHeader {
  const [submission] = recordsIn('SUBMISSION', filing, columns);
  const [page] = recordsIn('COVERPAGE', filing, columns);
  const form = submission?.get('SUBMISSIONTYPE') ?? null;
  const cik = parseCik(submission?.get('CIK') ?? '');
  const filedDate = dataSetDay('FILING_DATE', submission?.get('FILING_DATE'));
  if (form === null || cik === null || filedDate === null) {
    throw new ParseError('header_invalid', 'SUBMISSION lacks form, CIK or filing date');
  }
  const name = page?.get('FILINGMANAGER_NAME') ?? '';
  return {
    accession: filing.accession,
    form,
    filedDate,
    acceptedAt: null,
    periodOfReport: dataSetDay('PERIODOFREPORT', submission?.get('PERIODOFREPORT')),
    filers: [{ role: 'filer', cik, name, fileNumber: page?.get('FORM13FFILENUMBER') ?? null }],
  };
}

function coverIn(filing: DataSetFiling, page: DataSetRecord, columns: Columns): Cover {
  const [summary] = recordsIn('SUMMARYPAGE', filing, columns);
  const texts: CoverTexts = {
    cik: null,
    managerName: page.get('FILINGMANAGER_NAME') ?? null,
    reportType: page.get('REPORTTYPE') ?? null,
    reportCalendarOrQuarter: dataSetDay('REPORTCALENDARORQUARTER', page.get('REPORTCALENDARORQUARTER')),
    amendmentNo: page.get('AMENDMENTNO') ?? null,
    amendmentType: page.get('AMENDMENTTYPE') ?? null,
    confDeniedExpired: page.get('CONFDENIEDEXPIRED') ?? null,
    reasonForNonConfidentiality: page.get('REASONFORNONCONFIDENTIALITY') ?? null,
    dateDeniedExpired: asOnCover(page, 'DATEDENIEDEXPIRED'),
    dateReported: asOnCover(page, 'DATEREPORTED'),
    form13FFileNumber: page.get('FORM13FFILENUMBER') ?? null,
    schemaVersion: null,
    isConfidentialOmitted: summary?.get('ISCONFIDENTIALOMITTED') ?? null,
    additionalInformation: page.get('ADDITIONALINFORMATION') ?? null,
    tableEntryTotal: summary?.get('TABLEENTRYTOTAL') ?? null,
    tableValueTotal: summary?.get('TABLEVALUETOTAL') ?? null,
  };
  return coverOf(texts, {
    reportedBy: inOrder('OTHERMANAGER_SK', recordsIn('OTHERMANAGER', filing, columns)).map(managerOf),
    includes: inOrder('SEQUENCENUMBER', recordsIn('OTHERMANAGER2', filing, columns)).map(managerOf),
  });
}

/** `25-FEB-2013` becomes `02-25-2013`; any other text stays, and the reader of covers ignores it. */
function asOnCover(page: DataSetRecord, column: string): string | null {
  const text = page.get(column) ?? null;
  return (
    text?.replace(
      /^(\d\d)-([A-Z]{3})-(\d{4})$/i,
      (_, day, name, year) => `${monthOf(name)}-${day}-${year}`,
    ) ?? null
  );
}

/** The tables are sorted as text: 1, 17, 2. */
function inOrder(column: string, records: readonly DataSetRecord[]): DataSetRecord[] {
  const place = (record: DataSetRecord): number => Number(record.get(column) ?? 0);
  return [...records].sort((a, b) => place(a) - place(b));
}

function managerOf(record: DataSetRecord) {
  return otherManagerOf({
    name: record.get('NAME') ?? null,
    cik: record.get('CIK') ?? null,
    form13FFileNumber: record.get('FORM13FFILENUMBER') ?? null,
    sequenceNumber: record.get('SEQUENCENUMBER') ?? null,
  });
}

/** In the order of their keys, which the SEC gave while it read the table; files do not always keep it. */
function rowsOf({ lines }: DataSetFiling, columns: readonly string[]): readonly InfoTableRow[] {
  const own = lines['INFOTABLE'] ?? [];
  if (own.length === 0) throw new ParseError('information_table_missing', 'no entries');
  if (own.length > MAX_ROWS) throw new ParseError('too_many_rows', `more than ${MAX_ROWS}`);
  const places = ROW_COLUMNS.map((column) => columns.indexOf(column));
  const key = columns.indexOf(ROW_KEY);
  const keyed = own.map((line) => {
    const fields = fieldsOf(line, columns);
    return { key: keyOf(fields[key]), texts: places.map((at) => fields[at]) };
  });
  const rowOf = infoRowReader();
  return keyed.sort((a, b) => a.key - b.key).map(({ texts }, at) => rowOf(texts, at + 1));
}

function keyOf(text: string | undefined): number {
  if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text);
  throw unreadable(ROW_KEY, text ?? null);
}
