import { DAY_MS } from '../../src/domain/calendar.ts';

/** The container of a full submission. */
export type Submission = {
  readonly accession: string;
  readonly form: string;
  /** Filing day. The submission is accepted that day at 16:30. */
  readonly filed: string;
  readonly period: string;
  /** What the filing is made for, in capitals. */
  readonly purpose?: string;
  readonly parties: readonly Party[];
  readonly documents: readonly { readonly type: string; readonly xml: string }[];
};

type Party = {
  readonly section: 'FILER' | 'REPORTING-OWNER' | 'ISSUER';
  readonly name: string;
  readonly cik: string;
  readonly fileNumber?: string;
};

/** A submission in EDGAR's shape, with a header line that says that it is synthetic. */
export function submissionText({
  accession,
  form,
  filed,
  period,
  purpose = 'THE SANDBOX',
  parties,
  documents,
}: Submission): string {
  const day = filed.replaceAll('-', '');
  return `<SEC-DOCUMENT>${accession}.txt : ${day}
<SEC-HEADER>${accession}.hdr.sgml : ${day}
<ACCEPTANCE-DATETIME>${day}163000
ACCESSION NUMBER:		${accession}
CONFORMED SUBMISSION TYPE:	${form}
PUBLIC DOCUMENT COUNT:		${documents.length}
CONFORMED PERIOD OF REPORT:	${period.replaceAll('-', '')}
FILED AS OF DATE:		${day}
SYNTHETIC FILING:		MADE FOR ${purpose}, NEVER FILED; ALL NAMES AND NUMBERS IN IT ARE INVENTED

${parties.map(partyText).join('\n')}</SEC-HEADER>
${documents.map(documentText).join('')}</SEC-DOCUMENT>
`;
}

function partyText({ section, name, cik, fileNumber }: Party): string {
  const file = fileNumber === undefined ? '' : `		SEC FILE NUMBER:	${fileNumber}\n`;
  return `${section}:

	COMPANY DATA:
		COMPANY CONFORMED NAME:			${name}
		CENTRAL INDEX KEY:			${cik}
${file}`;
}

function documentText({ type, xml }: Submission['documents'][number], place: number): string {
  return `<DOCUMENT>
<TYPE>${type}
<SEQUENCE>${place + 1}
<FILENAME>document${place + 1}.xml
<TEXT>
<XML>
<?xml version="1.0" encoding="UTF-8"?>
${xml}
</XML>
</TEXT>
</DOCUMENT>
`;
}

/** The filer of a synthetic filing cannot exist, because EDGAR has assigned only about two million CIKs. */
export function accessionOf(filer: string, filed: string, n: number): string {
  return `${filer}-${filed.slice(2, 4)}-${String(n).padStart(6, '0')}`;
}

/** The first weekday from then on. */
export function workday(at: number): string {
  const day = new Date(at).getUTCDay();
  return new Date(at + (day === 6 ? 2 : day === 0 ? 1 : 0) * DAY_MS).toISOString().slice(0, 10);
}
