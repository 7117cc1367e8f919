import type { InfoTableRow, ThirteenF } from '../../src/domain/filing/filing.ts';
import { type Heads, type Line, printed, writeTables } from './tables.ts';

/**
 * Writes filings as the tables of a Form 13F data set, in the SEC's columns.
 * @param information the additional information of each cover, which a parsed filing does not keep
 */
export async function writeDataSet(
  dir: string,
  filings: readonly ThirteenF[],
  information = '',
): Promise<void> {
  const tables = {
    SUBMISSION: filings.map(submissionOf),
    COVERPAGE: filings.map((filing) => ({ ...coverOf(filing), ADDITIONALINFORMATION: information })),
    SUMMARYPAGE: filings.filter(({ reportType }) => reportType !== 'notice').map(summaryOf),
    OTHERMANAGER: filings.flatMap((filing) => managersOf(filing, 'reportedBy')),
    OTHERMANAGER2: filings.flatMap((filing) => managersOf(filing, 'includes')),
    INFOTABLE: filings.flatMap((filing) => filing.rows.map((row) => rowOf(filing, row))),
  };
  await writeTables(dir, HEADS, tables);
}

const HEADS: Heads = {
  SUBMISSION: ['ACCESSION_NUMBER', 'FILING_DATE', 'SUBMISSIONTYPE', 'CIK', 'PERIODOFREPORT'],
  COVERPAGE:
    'ACCESSION_NUMBER REPORTCALENDARORQUARTER ISAMENDMENT AMENDMENTNO AMENDMENTTYPE FILINGMANAGER_NAME REPORTTYPE FORM13FFILENUMBER ADDITIONALINFORMATION'.split(
      ' ',
    ),
  SUMMARYPAGE: ['ACCESSION_NUMBER', 'TABLEENTRYTOTAL', 'TABLEVALUETOTAL', 'ISCONFIDENTIALOMITTED'],
  OTHERMANAGER: ['ACCESSION_NUMBER', 'OTHERMANAGER_SK', 'CIK', 'FORM13FFILENUMBER', 'NAME'],
  OTHERMANAGER2: ['ACCESSION_NUMBER', 'SEQUENCENUMBER', 'CIK', 'FORM13FFILENUMBER', 'NAME'],
  INFOTABLE:
    'ACCESSION_NUMBER INFOTABLE_SK NAMEOFISSUER TITLEOFCLASS CUSIP FIGI VALUE SSHPRNAMT SSHPRNAMTTYPE PUTCALL INVESTMENTDISCRETION OTHERMANAGER VOTING_AUTH_SOLE VOTING_AUTH_SHARED VOTING_AUTH_NONE'.split(
      ' ',
    ),
};

function submissionOf({ header, cik }: ThirteenF): Line {
  return {
    ACCESSION_NUMBER: header.accession,
    FILING_DATE: printed(header.filedDate),
    SUBMISSIONTYPE: header.form,
    CIK: cik,
    PERIODOFREPORT: printed(header.periodOfReport),
  };
}

const TYPES = { restatement: 'RESTATEMENT', new_holdings: 'NEW HOLDINGS' } as const;

function coverOf(filing: ThirteenF): Line {
  const report =
    filing.reportType === 'notice' ? '13F NOTICE' : `13F ${filing.reportType.toUpperCase()} REPORT`;
  return {
    ACCESSION_NUMBER: filing.header.accession,
    REPORTCALENDARORQUARTER: printed(filing.quarterEnd),
    ISAMENDMENT: filing.isAmendment ? 'Y' : '',
    AMENDMENTNO: filing.amendmentNumber,
    AMENDMENTTYPE: filing.amendmentType === null ? '' : TYPES[filing.amendmentType],
    FILINGMANAGER_NAME: filing.managerName,
    REPORTTYPE: report,
    FORM13FFILENUMBER: filing.form13fFileNumber,
  };
}

function summaryOf(filing: ThirteenF): Line {
  const omitted = filing.confidentialOmitted;
  return {
    ACCESSION_NUMBER: filing.header.accession,
    TABLEENTRYTOTAL: filing.declaredEntryTotal,
    TABLEVALUETOTAL: filing.declaredValueTotal,
    ISCONFIDENTIALOMITTED: omitted === null ? '' : omitted ? 'Y' : 'N',
  };
}

function managersOf(filing: ThirteenF, list: 'reportedBy' | 'includes'): Line[] {
  return filing[list].map(({ name, cik, form13fFileNumber, sequence }, at) => ({
    ACCESSION_NUMBER: filing.header.accession,
    OTHERMANAGER_SK: at + 1,
    SEQUENCENUMBER: sequence,
    CIK: cik,
    FORM13FFILENUMBER: form13fFileNumber,
    NAME: name,
  }));
}

function rowOf({ header }: ThirteenF, row: InfoTableRow): Line {
  return {
    ACCESSION_NUMBER: header.accession,
    INFOTABLE_SK: 1_000 + row.row,
    NAMEOFISSUER: row.issuer,
    TITLEOFCLASS: row.titleOfClass,
    CUSIP: row.cusipAsFiled,
    VALUE: row.value,
    SSHPRNAMT: row.amount,
    SSHPRNAMTTYPE: row.amountType,
    PUTCALL: row.putCall,
    INVESTMENTDISCRETION: row.discretion,
    OTHERMANAGER: row.otherManagers,
    VOTING_AUTH_SOLE: row.votingSole,
    VOTING_AUTH_SHARED: row.votingShared,
    VOTING_AUTH_NONE: row.votingNone,
  };
}
