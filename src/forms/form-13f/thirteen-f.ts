import {
  type FilingHeader,
  type InfoTableRow,
  type OtherManager,
  PARSER_OF_13F,
  type StoredFiling,
  type TakenIn,
  type ThirteenF,
} from '../../domain/filing/filing.ts';
import { foldReport } from '../../domain/report/fold.ts';
import { equityCount } from '../../domain/report/holding.ts';
import { valueScaleCents } from '../../domain/report/scale.ts';
import { compareNames } from '../../domain/security/issuer-name.ts';
import type { FormModule } from '../form.ts';
import { MAX_FIELD_CHARS, ParseError, unreadable } from '../parse-error.ts';
import type { Submission, SubmissionDocument } from '../sgml.ts';
import { asText, type Source } from '../source.ts';
import { parseAmount, squeeze } from '../value.ts';
import { rootName } from '../xml.ts';
import { type Cover, readCover } from './cover.ts';
import { readInfoTable } from './info-table.ts';
import { readTextReport } from './text/report.ts';

export const thirteenF: FormModule<ThirteenF> = {
  name: 'thirteen-f',
  carries: ['13F-HR', '13F-HR/A', '13F-NT', '13F-NT/A'],
  about: 'Quarterly holdings of institutional managers (Form 13F): reports, notices and amendments.',
  parserVersion: PARSER_OF_13F,
  feed: { type: '13F-', owner: 'include' },
  leg: 'thirteen_f',
  isEvent: false,
  followers: ['report'],
  parse: parseThirteenF,
  stored: storedThirteenF,
};

/** A report with its rows, or a notice without. Throws ParseError. */
function parseThirteenF(submission: Submission): ThirteenF {
  const { header, documents } = submission;
  // EDGAR accepted Form 13F as text until May 2013.
  if (documents.every((document) => document.xml === null)) {
    const { cover, ...table } = readTextReport(submission);
    checkCover(cover, header);
    return assembled(header, cover, table);
  }
  const cover = coverOf(documents);
  checkCover(cover, header);
  const rows = cover.reportType === 'notice' ? [] : tableOf(documents);
  return assembled(header, cover, { rows, textConfidence: null });
}

/** A filing of its parts; the header decides who files and whether it is an amendment. */
export function assembled(
  header: FilingHeader,
  { cik, managerName, additionalInformation, ...cover }: Cover,
  table: Pick<ThirteenF, 'rows' | 'textConfidence'>,
): ThirteenF {
  const filer = header.filers.find((party) => party.role === 'filer') ?? header.filers[0];
  const manager = filer?.cik ?? cik;
  if (manager === null) throw new ParseError('header_invalid', 'FILER is missing');
  const isAmendment = header.form.endsWith('/A');
  const takenIn = takenInOf(additionalInformation, table.rows);
  return {
    ...cover,
    kind: 'thirteen_f',
    header,
    cik: manager,
    managerName: filer?.name || (managerName ?? ''),
    isAmendment,
    amendmentNumber: isAmendment ? cover.amendmentNumber : null,
    amendmentType: isAmendment ? cover.amendmentType : null,
    confidentialReveal: isAmendment ? cover.confidentialReveal : null,
    ...(takenIn === null ? {} : { takenIn }),
    ...table,
  };
}

/** Rows are stored in separate pages; the rest includes totals of this filing by itself. */
function storedThirteenF({ rows, ...cover }: ThirteenF): StoredFiling {
  const alone = foldReport([{ ...cover, rows }]);
  const value = alone?.positions.reduce((sum, position) => sum + position.valueCents, 0n) ?? 0n;
  // At the scale of the date: which one applies is decided with other filers (rule 4.3).
  const valueCents = (value * valueScaleCents(cover.header.filedDate)) / (alone?.newest.scaleCents ?? 1n);
  return {
    cik: cover.cik,
    company: cover.managerName,
    issuer: null,
    reportingOwnerCiks: [],
    content: {
      ...cover,
      holdingsCount: alone === null ? 0 : equityCount(alone),
      valueCents,
      reasons: alone?.reasons ?? [],
    },
    rows,
  };
}

function coverOf(documents: readonly SubmissionDocument[]): Cover {
  const cover = oneWithRoot(documents, 'edgarSubmission');
  if (cover !== null) return readCover(asText(cover));
  throw new ParseError('cover_missing', 'no edgarSubmission document');
}

/** The table is found by its root element, because file names and document types vary (rule 1.7). */
function tableOf(documents: readonly SubmissionDocument[]): readonly InfoTableRow[] {
  const table = oneWithRoot(documents, 'informationTable');
  if (table !== null) return readInfoTable(table);
  const declared = documents.find((document) => /^INFORMATION TABLE/i.test(document.type));
  if (declared === undefined) throw new ParseError('information_table_missing', 'no such document');
  const text = declared.xml === null ? asText(declared.text) : '';
  if (/<S>|<C>|CUSIP/i.test(text) && !/<html/i.test(text)) {
    throw new ParseError('text_information_table', declared.filename);
  }
  const root = declared.xml === null ? null : rootName(declared.xml);
  throw new ParseError('wrong_root', `${declared.filename}: ${root ?? 'not XML'}`);
}

function oneWithRoot(documents: readonly SubmissionDocument[], root: string): Source | null {
  const found = documents.flatMap(({ xml }) => (xml !== null && rootName(xml) === root ? [xml] : []));
  if (found.length > 1) throw unreadable(root, `${found.length} documents`);
  return found[0] ?? null;
}

/** Throws ParseError when cover and header contradict each other. */
export function checkCover({ quarterEnd, reportType }: Cover, header: FilingHeader): void {
  const { form, periodOfReport, filedDate } = header;
  if ((reportType === 'notice') !== form.startsWith('13F-NT')) {
    throw unreadable('reportType', `${reportType} on ${form}`);
  }
  if (periodOfReport !== null && periodOfReport !== quarterEnd) {
    throw new ParseError('period_invalid', `cover ${quarterEnd}, header ${periodOfReport}`);
  }
  if (quarterEnd > filedDate) {
    throw new ParseError('period_invalid', `${quarterEnd} is after the filing date ${filedDate}`);
  }
}

const LIST =
  /\b(?:this|the) (?:form 13f|filing|report) includes the following (?:holdings|positions|securities)\b[^.:]*\b(?:formerly|previously) reported by ([^.:]+)[.:] /i;
const DENIAL = /\b(?:not|no longer|never)\b/i;
const FILE_NUMBER = /^ ?\(Form 13F File (?:Number |No\. ?|#)(\d{2,3}-\d{1,6})\)/i;

/**
 * What the additional information of a cover says that this report holds and another manager's held before, such
 * as `Apple Inc. - 20,424,207 shares` (rule 2.12). Null unless it is a list to the end of the text, of which each
 * line is the issuer and the exact count of rows of one security: a text that is read in part proves nothing.
 */
export function takenInOf(information: string | null, rows: readonly InfoTableRow[]): TakenIn | null {
  if (information === null || information.length > MAX_FIELD_CHARS) return null;
  const text = squeeze(information).replace(/[“”]/g, '"');
  const list = LIST.exec(text);
  if (list === null || DENIAL.test(list[0])) return null;
  const lines = text.slice(list.index + list[0].length).split(/ shares\b[.,;]?/);
  if (lines.length < 2 || lines.pop()?.trim() !== '') return null;
  const positions = lines.flatMap((line) => positionOf(line, rows) ?? []);
  const isWhole = new Set(positions.map(({ cusip }) => cusip)).size === lines.length;
  return isWhole ? { from: managerOf(list[1] as string, text), positions } : null;
}

function positionOf(line: string, rows: readonly InfoTableRow[]): TakenIn['positions'][number] | null {
  const dash = line.lastIndexOf('-');
  const [name, amount] = [line.slice(0, dash).trim(), parseAmount(line.slice(dash + 1).trim())?.value];
  if (dash < 1 || amount === undefined) return null;
  const own = rows.filter(
    (row) =>
      row.amount === amount &&
      row.amountType === 'SH' &&
      row.putCall === null &&
      compareNames(row.issuer, name) === 'same',
  );
  const cusip = own[0]?.cusip ?? null;
  return cusip !== null && own.every((row) => row.cusip === cusip) ? { cusip, amount } : null;
}

/** By the name and file number where the text defines the short one: `New England Asset Management Inc. ("NEAM")`. */
function managerOf(short: string, text: string): OtherManager {
  const defined = text.indexOf(`("${short}")`);
  const before = defined < 0 ? short : text.slice(0, defined).trimEnd();
  const words = before.split(' ');
  const name = words.slice(words.findLastIndex((word) => !/^[A-Z&]/.test(word)) + 1).join(' ') || before;
  const form13fFileNumber = FILE_NUMBER.exec(text.slice(defined + short.length + 4))?.[1] ?? null;
  return { name, cik: null, form13fFileNumber: defined < 0 ? null : form13fFileNumber, sequence: null };
}
