import { corpusText, type Folder } from './folder.ts';
import { AUTUMN } from './greenlight.ts';

/** A report that no manager filed: the bundled corpus has too few filers for some rules. */
export type SyntheticReport = {
  /** 1 to 99: part of the CIK and of the accession. */
  readonly manager: number;
  readonly quarterEnd: string;
  /** `YYYY-MM-DD`. */
  readonly filed: string;
  readonly rows: readonly SyntheticRow[];
  /** Another manager whose holdings are in this report. */
  readonly includes?: number;
};

export type SyntheticRow = {
  readonly issuer: string;
  readonly cusip: string;
  readonly shares: number;
  /** In the scale of the filing. */
  readonly value: number;
};

export const cikOf = (manager: number): string => String(9_000_000 + manager);
export const nameOf = (manager: number): string => `SYNTHETIC MANAGER ${manager} LP`;

export function accessionOf({ manager, filed }: Pick<SyntheticReport, 'manager' | 'filed'>): string {
  return `000${cikOf(manager)}-${filed.slice(2, 4)}-${filed.slice(5).replace('-', '').padStart(6, '0')}`;
}

/** Writes the reports as submissions in the shape of a real one, labelled as constructed. */
export async function addSynthetic(folder: Folder, reports: readonly SyntheticReport[]): Promise<string[]> {
  const template = await corpusText(AUTUMN);
  for (const report of reports) await folder.add(`${accessionOf(report)}.txt`, textOf(template, report));
  return reports.map(accessionOf);
}

function textOf(template: string, report: SyntheticReport): string {
  const { manager, quarterEnd, filed, rows, includes } = report;
  const [year, month, day] = quarterEnd.split('-');
  const total = rows.reduce((sum, { value }) => sum + value, 0);
  return template
    .replaceAll(AUTUMN, accessionOf(report))
    .replaceAll('1079114', cikOf(manager))
    .replaceAll('GREENLIGHT CAPITAL INC', nameOf(manager))
    .replace(/(<SEC-HEADER>[^\n]*\n)/, '$1CONSTRUCTED CONTAINER: A SYNTHETIC REPORT MADE FOR A TEST\n')
    .replace(/<ACCEPTANCE-DATETIME>\d+/, `<ACCEPTANCE-DATETIME>${filed.replaceAll('-', '')}120000`)
    .replace(/(FILED AS OF DATE:\s*)\d+/, `$1${filed.replaceAll('-', '')}`)
    .replace(/(CONFORMED PERIOD OF REPORT:\s*)\d+/, `$1${year}${month}${day}`)
    .replaceAll('09-30-2018', `${month}-${day}-${year}`)
    .replace(/<otherIncludedManagersCount>\d+/, '<otherIncludedManagersCount>0')
    .replace(/<otherManagers2Info>.*<\/otherManagers2Info>/s, includes === undefined ? '' : listOf(includes))
    .replace(/<tableEntryTotal>\d+/, `<tableEntryTotal>${rows.length}`)
    .replace(/<tableValueTotal>\d+/, `<tableValueTotal>${total}`)
    .replace(/<infoTable>.*<\/infoTable>/s, rows.map(rowText).join(''));
}

function listOf(manager: number): string {
  return `<otherManagers2Info><otherManager2><sequenceNumber>1</sequenceNumber><otherManager><cik>${cikOf(manager)}</cik><name>${nameOf(manager)}</name></otherManager></otherManager2></otherManagers2Info>`;
}

function rowText({ issuer, cusip, shares, value }: SyntheticRow): string {
  return `<infoTable><nameOfIssuer>${issuer.replaceAll('&', '&amp;')}</nameOfIssuer><titleOfClass>COM</titleOfClass><cusip>${cusip}</cusip><value>${value}</value><shrsOrPrnAmt><sshPrnamt>${shares}</sshPrnamt><sshPrnamtType>SH</sshPrnamtType></shrsOrPrnAmt><investmentDiscretion>SOLE</investmentDiscretion><votingAuthority><Sole>${shares}</Sole><Shared>0</Shared><None>0</None></votingAuthority></infoTable>`;
}
