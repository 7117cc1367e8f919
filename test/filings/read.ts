import { readFileSync } from 'node:fs';
import type { Ownership, ParsedFiling, ThirteenF } from '../../src/domain/filing/filing.ts';
import { ParseError, parseFiling } from '../../src/forms/index.ts';

/** A file of this folder, e.g. `13f/0000950123-18-011885.txt`. */
export function filingBytes(name: string): Uint8Array {
  return readFileSync(new URL(name, import.meta.url));
}

export function filingText(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'latin1');
}

export function thirteenFOf(source: string | Uint8Array): ThirteenF {
  const filing = parseFiling(bytesOf(source));
  if (filing.kind !== 'thirteen_f') throw new Error(`a ${filing.kind}`);
  return filing;
}

export function ownershipOf(source: string | Uint8Array): Ownership {
  const filing = parseFiling(bytesOf(source));
  if (filing.kind !== 'ownership') throw new Error(`a ${filing.kind}`);
  return filing;
}

/** The code of the ParseError, or the filing when it parsed; anything else is thrown on. */
export function outcomeOf(source: string | Uint8Array): string | ParsedFiling {
  try {
    return parseFiling(bytesOf(source));
  } catch (error) {
    if (error instanceof ParseError) return error.code;
    throw error;
  }
}

/** A string that names a file is read, any other is itself the submission. */
function bytesOf(source: string | Uint8Array): Uint8Array {
  if (typeof source !== 'string') return source;
  return /^(13f|form-4)\/[\w.-]+$/.test(source) ? filingBytes(source) : new TextEncoder().encode(source);
}

export type Container = {
  readonly form: string;
  readonly period: string;
  readonly filed: string;
  readonly accepted?: string;
  /** That of the loose document, where it is known. */
  readonly accession?: string;
  /** Type and XML of each document. */
  readonly documents: readonly (readonly [string, string])[];
};

/** A full submission built around loose XML: constructed, not the SEC's bytes. */
export function constructedSubmission(container: Container): string {
  const documents = container.documents.map(
    ([type, xml], index) =>
      `<DOCUMENT>\n<TYPE>${type}\n<SEQUENCE>${index + 1}\n<FILENAME>d${index + 1}.xml\n<TEXT>\n<XML>\n${xml}\n</XML>\n</TEXT>\n</DOCUMENT>\n`,
  );
  const accession = container.accession ?? '0009999999-99-000001';
  return `<SEC-DOCUMENT>${accession}.txt : ${container.filed}
<SEC-HEADER>${accession}.hdr.sgml : ${container.filed}
<ACCEPTANCE-DATETIME>${container.accepted ?? `${container.filed}120000`}
ACCESSION NUMBER:		${accession}
CONFORMED SUBMISSION TYPE:	${container.form}
PUBLIC DOCUMENT COUNT:		${documents.length}
CONFORMED PERIOD OF REPORT:	${container.period}
FILED AS OF DATE:		${container.filed}

FILER:

	COMPANY DATA:
		COMPANY CONFORMED NAME:			CONSTRUCTED FILER
		CENTRAL INDEX KEY:			0009999999
</SEC-HEADER>
${documents.join('')}</SEC-DOCUMENT>
`;
}
