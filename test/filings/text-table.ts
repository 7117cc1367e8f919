/** A row of a constructed text table: issuer, class, CUSIP, two numbers in the order of the heading, the rest. */
export type TextCells = readonly [string, string, string, string, string, string?];

export type TextTable = {
  /** Lines as they stand; rows are set in columns. */
  readonly lines: readonly (TextCells | string)[];
  readonly heading?: readonly [string, string];
  /** Lines of the summary page after its title. */
  readonly summary?: readonly string[];
  /** Lines of the cover page after the quarter. */
  readonly cover?: readonly string[];
  readonly form?: string;
};

const RULER = `${'-'.repeat(24)}  ${'-'.repeat(18)}  ---------  ----------  ----------  ----------`;

/** One line of the table, cells in their columns. */
export function tableLine([issuer, title, cusip, first, second, rest = 'SH SOLE']: TextCells): string {
  const names = `${issuer.padEnd(24)}  ${title.padEnd(18)}  ${cusip.padEnd(9)}`;
  return `${names}  ${first.padStart(10)}  ${second.padStart(10)}  ${rest}`.trimEnd();
}

/** A submission with a report of text, laid out as EDGAR's form: constructed, not the SEC's bytes. */
export function textSubmission(table: TextTable): string {
  const [first, second] = table.heading ?? ['VALUE', 'SHARES'];
  const rows = table.lines.map((line) => (typeof line === 'string' ? line : tableLine(line)));
  return `<SEC-DOCUMENT>0009999999-09-000001.txt : 20091110
<SEC-HEADER>0009999999-09-000001.hdr.sgml : 20091110
<ACCEPTANCE-DATETIME>20091110120000
ACCESSION NUMBER:		0009999999-09-000001
CONFORMED SUBMISSION TYPE:	${table.form ?? '13F-HR'}
PUBLIC DOCUMENT COUNT:		1
CONFORMED PERIOD OF REPORT:	20090930
FILED AS OF DATE:		20091110

FILER:

	COMPANY DATA:
		COMPANY CONFORMED NAME:			CONSTRUCTED FILER
		CENTRAL INDEX KEY:			0009999999
</SEC-HEADER>
<DOCUMENT>
<TYPE>${table.form ?? '13F-HR'}
<SEQUENCE>1
<TEXT>
FORM 13F COVER PAGE
Report for the Calendar Year or Quarter Ended: September 30, 2009
${(table.cover ?? []).join('\n')}
[X] 13F HOLDINGS REPORT.
FORM 13F SUMMARY PAGE
${(table.summary ?? []).join('\n')}
FORM 13F INFORMATION TABLE
NAME OF ISSUER            TITLE OF CLASS      CUSIP      ${first.padStart(10)}  ${second.padStart(10)}  SH/PRN PUT/CALL
${RULER}
${rows.join('\n')}
</TEXT>
</DOCUMENT>
</SEC-DOCUMENT>
`;
}

/** The two totals of the summary page. */
export function totals(entries: number, value: string): readonly string[] {
  return [
    `Form 13F Information Table Entry Total: ${entries}`,
    `Form 13F Information Table Value Total: $${value} (thousands)`,
  ];
}
