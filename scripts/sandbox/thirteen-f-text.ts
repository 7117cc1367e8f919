import type { Manager, Row } from './managers.ts';
import type { Security } from './market.ts';
import { type Submission, submissionText } from './submission-text.ts';

/** A row of shares. */
type ReportRow = Omit<Row, 'security'> & { readonly security: Pick<Security, 'issuer' | 'cusip'> };

/** Who files a report, or files for another. */
type Filer = Pick<Manager, 'cik' | 'name' | 'fileNumber'>;

/** A synthetic 13F. */
export type Report = Pick<Submission, 'accession' | 'filed' | 'purpose'> & {
  readonly by: Filer;
  readonly quarterEnd: string;
  /** Rows of the table. Null for a notice. */
  readonly rows: readonly ReportRow[] | null;
  /** More `infoTable` elements as XML, for options and bonds. */
  readonly extraRows?: readonly string[];
  readonly amendment?: { readonly number: number; readonly type: 'RESTATEMENT' };
  readonly reportedBy?: Filer;
  readonly includes?: Filer;
  readonly isConfidentialOmitted?: boolean;
};

/** The full submission in the shape that EDGAR serves. */
export function reportText(report: Report): string {
  const { by, rows, amendment, quarterEnd } = report;
  const form = `${rows === null ? '13F-NT' : '13F-HR'}${amendment === undefined ? '' : '/A'}`;
  return submissionText({
    ...report,
    form,
    period: quarterEnd,
    parties: [{ section: 'FILER', name: by.name, cik: by.cik, fileNumber: by.fileNumber }],
    documents: [
      { type: form, xml: cover(report, form) },
      ...(rows === null ? [] : [{ type: 'INFORMATION TABLE', xml: table(rowsOf(report)) }]),
    ],
  });
}

function cover(report: Report, form: string): string {
  const { by, rows, quarterEnd, amendment, reportedBy } = report;
  const [year, month, day] = quarterEnd.split('-');
  const period = `${month}-${day}-${year}`;
  const amended =
    amendment === undefined
      ? '<isAmendment>false</isAmendment>'
      : `<isAmendment>true</isAmendment><amendmentNo>${amendment.number}</amendmentNo>
<amendmentInfo><amendmentType>${amendment.type}</amendmentType></amendmentInfo>`;
  const others =
    reportedBy === undefined
      ? ''
      : `<otherManagersInfo><otherManager>${managerXml(reportedBy)}</otherManager></otherManagersInfo>`;
  return `<edgarSubmission xmlns="http://www.sec.gov/edgar/thirteenffiler">
<schemaVersion>X0202</schemaVersion>
<headerData><submissionType>${form}</submissionType><filerInfo><filer><credentials><cik>${by.cik}</cik></credentials></filer>
<periodOfReport>${period}</periodOfReport></filerInfo></headerData>
<formData><coverPage><reportCalendarOrQuarter>${period}</reportCalendarOrQuarter>
${amended}
<filingManager><name>${by.name}</name></filingManager>
<reportType>${rows === null ? '13F NOTICE' : '13F HOLDINGS REPORT'}</reportType>
<form13FFileNumber>${by.fileNumber}</form13FFileNumber>${others}</coverPage>
${rows === null ? '' : summary(report)}</formData></edgarSubmission>`;
}

function summary(report: Report): string {
  const xml = rowsOf(report);
  const total = xml.reduce((sum, row) => sum + Number(/<value>(\d+)</.exec(row)?.[1] ?? 0), 0);
  const { includes, isConfidentialOmitted = false } = report;
  const included =
    includes === undefined
      ? ''
      : `<otherManagers2Info><otherManager2><sequenceNumber>1</sequenceNumber><otherManager>${managerXml(includes)}</otherManager></otherManager2></otherManagers2Info>`;
  return `<summaryPage><otherIncludedManagersCount>${includes === undefined ? 0 : 1}</otherIncludedManagersCount>
<tableEntryTotal>${xml.length}</tableEntryTotal><tableValueTotal>${total}</tableValueTotal>
<isConfidentialOmitted>${isConfidentialOmitted}</isConfidentialOmitted>${included}</summaryPage>`;
}

function managerXml({ cik, fileNumber, name }: Filer): string {
  return `<cik>${cik}</cik><form13FFileNumber>${fileNumber}</form13FFileNumber><name>${name}</name>`;
}

function rowsOf({ rows, extraRows = [] }: Report): readonly string[] {
  const plain = (rows ?? []).map(({ security, shares, valueDollars }) =>
    rowXml({ ...security, title: 'COM', value: valueDollars, amount: shares }),
  );
  return [...plain, ...extraRows];
}

/** A row of an information table. */
export type TableRow = {
  readonly issuer: string;
  readonly title: string;
  readonly cusip: string;
  readonly value: number;
  readonly amount: number;
  readonly amountType?: 'SH' | 'PRN';
  readonly putCall?: 'Put' | 'Call';
};

export function rowXml({
  issuer,
  title,
  cusip,
  value,
  amount,
  amountType = 'SH',
  putCall,
}: TableRow): string {
  const side = putCall === undefined ? '' : `<putCall>${putCall}</putCall>`;
  return `<infoTable><nameOfIssuer>${issuer}</nameOfIssuer><titleOfClass>${title}</titleOfClass><cusip>${cusip}</cusip>
<value>${value}</value><shrsOrPrnAmt><sshPrnamt>${amount}</sshPrnamt><sshPrnamtType>${amountType}</sshPrnamtType></shrsOrPrnAmt>
${side}<investmentDiscretion>SOLE</investmentDiscretion>
<votingAuthority><Sole>${amount}</Sole><Shared>0</Shared><None>0</None></votingAuthority></infoTable>`;
}

function table(rows: readonly string[]): string {
  return `<informationTable xmlns="http://www.sec.gov/edgar/document/thirteenf/informationtable">
${rows.join('\n')}
</informationTable>`;
}
