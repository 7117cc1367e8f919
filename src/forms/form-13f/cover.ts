import type {
  AmendmentType,
  ConfidentialReveal,
  OtherManager,
  ThirteenF,
} from '../../domain/filing/filing.ts';
import { type Cik, type IsoDate, isIsoDate, parseCik, type QuarterEnd } from '../../domain/ids.ts';
import { parseQuarterEnd } from '../../domain/quarter.ts';
import { at, childrenOf, proseAt, readElement, textAt } from '../element.ts';
import { ParseError, unreadable } from '../parse-error.ts';
import { flagOf, parseAmount, squeeze } from '../value.ts';
import type { XmlElement } from '../xml.ts';

/** The fields of cover and summary pages; `rows` and fields of the header are added later. */
export type Cover = Omit<
  ThirteenF,
  'kind' | 'header' | 'cik' | 'managerName' | 'isAmendment' | 'takenIn' | 'textConfidence' | 'rows'
> & {
  readonly cik: Cik | null;
  readonly managerName: string | null;
  /** What the filer says in words; {@link takenInOf} reads it beside the rows. */
  readonly additionalInformation: string | null;
};

/** The texts of cover and summary page, as XML or a data set has them; null for an absent one. */
export type CoverTexts = Readonly<
  Record<
    | 'cik'
    | 'managerName'
    | 'reportType'
    | 'reportCalendarOrQuarter'
    | 'amendmentNo'
    | 'amendmentType'
    | 'confDeniedExpired'
    | 'reasonForNonConfidentiality'
    | 'dateDeniedExpired'
    | 'dateReported'
    | 'form13FFileNumber'
    | 'schemaVersion'
    | 'isConfidentialOmitted'
    | 'additionalInformation'
    | 'tableEntryTotal'
    | 'tableValueTotal',
    string | null
  >
>;

type OtherManagers = Pick<ThirteenF, 'reportedBy' | 'includes'>;

/**
 * Reads `edgarSubmission`. The two lists of other managers have opposite meanings (rule 2.12): those on the
 * cover page report for this manager, those on the summary page are included in this report.
 */
export function readCover(xml: string): Cover {
  const root = readElement(xml, 'edgarSubmission');
  const page = at(root, 'formData', 'coverPage');
  if (page === null) throw unreadable('coverPage', null);
  const info = at(page, 'amendmentInfo');
  const summary = at(root, 'formData', 'summaryPage');
  const texts: CoverTexts = {
    cik: textAt(at(root, 'headerData', 'filerInfo', 'filer', 'credentials'), 'cik'),
    managerName: textAt(at(page, 'filingManager'), 'name'),
    reportType: textAt(page, 'reportType'),
    reportCalendarOrQuarter: textAt(page, 'reportCalendarOrQuarter'),
    amendmentNo: textAt(page, 'amendmentNo'),
    amendmentType: textAt(info, 'amendmentType'),
    confDeniedExpired: textAt(info, 'confDeniedExpired'),
    reasonForNonConfidentiality: textAt(info, 'reasonForNonConfidentiality'),
    dateDeniedExpired: textAt(info, 'dateDeniedExpired'),
    dateReported: textAt(info, 'dateReported'),
    form13FFileNumber: textAt(page, 'form13FFileNumber'),
    schemaVersion: textAt(root, 'schemaVersion'),
    isConfidentialOmitted: textAt(summary, 'isConfidentialOmitted'),
    additionalInformation: proseAt(page, 'additionalInformation'),
    tableEntryTotal: textAt(summary, 'tableEntryTotal'),
    tableValueTotal: textAt(summary, 'tableValueTotal'),
  };
  return coverOf(texts, { reportedBy: reportedByOf(page), includes: includesOf(summary) });
}

/** The fields of a cover from its texts. Throws ParseError. */
export function coverOf(texts: CoverTexts, { reportedBy, includes }: OtherManagers): Cover {
  return {
    cik: parseCik(texts.cik ?? ''),
    managerName: texts.managerName,
    additionalInformation: texts.additionalInformation,
    reportType: reportTypeOf(texts.reportType),
    quarterEnd: quarterEndOf(texts.reportCalendarOrQuarter),
    amendmentNumber: countOf('amendmentNo', texts.amendmentNo),
    confidentialReveal: revealOf(texts),
    amendmentType: amendmentTypeOf(texts.amendmentType),
    form13fFileNumber: texts.form13FFileNumber,
    reportedBy,
    schemaVersion: texts.schemaVersion,
    confidentialOmitted: flagOf('isConfidentialOmitted', texts.isConfidentialOmitted),
    declaredEntryTotal: countOf('tableEntryTotal', texts.tableEntryTotal),
    declaredValueTotal: totalOf(texts.tableValueTotal),
    includes,
  };
}

function totalOf(text: string | null): bigint | null {
  const value = text === null ? null : parseAmount(text);
  if (text !== null && value === null) throw unreadable('tableValueTotal', text);
  return value?.value ?? null;
}

function reportedByOf(page: XmlElement): readonly OtherManager[] {
  return childrenOf(at(page, 'otherManagersInfo'), 'otherManager').map((entry) => managerOf(entry, null));
}

function includesOf(page: XmlElement | null): readonly OtherManager[] {
  return childrenOf(at(page, 'otherManagers2Info'), 'otherManager2').map((entry) =>
    managerOf(at(entry, 'otherManager') ?? entry, textAt(entry, 'sequenceNumber')),
  );
}

function managerOf(entry: XmlElement, sequenceNumber: string | null): OtherManager {
  return otherManagerOf({
    name: textAt(entry, 'name'),
    cik: textAt(entry, 'cik'),
    form13FFileNumber: textAt(entry, 'form13FFileNumber'),
    sequenceNumber,
  });
}

type OtherManagerTexts = Readonly<
  Record<'name' | 'cik' | 'form13FFileNumber' | 'sequenceNumber', string | null>
>;

export function otherManagerOf(texts: OtherManagerTexts): OtherManager {
  return {
    name: squeeze(texts.name ?? ''),
    cik: parseCik(texts.cik ?? ''),
    form13fFileNumber: texts.form13FFileNumber,
    sequence: countOf('sequenceNumber', texts.sequenceNumber),
  };
}

function reportTypeOf(text: string | null): ThirteenF['reportType'] {
  const kind = /^13F (HOLDINGS|NOTICE|COMBINATION)(?: REPORT)?$/.exec((text ?? '').toUpperCase().trim())?.[1];
  if (kind === undefined) throw unreadable('reportType', text);
  return kind.toLowerCase() as ThirteenF['reportType'];
}

/** `MM-DD-YYYY`. A 13F is "as of the last day of a calendar quarter" (Rule 13f-1). */
function quarterEndOf(text: string | null): QuarterEnd {
  const quarterEnd = parseQuarterEnd(text ?? '');
  if (quarterEnd !== null) return quarterEnd;
  throw new ParseError(
    'period_invalid',
    `reportCalendarOrQuarter ${JSON.stringify(text?.slice(0, 20) ?? '')}`,
  );
}

/** Null when an amendment has no readable type: the domain decides what that means. */
function amendmentTypeOf(text: string | null): AmendmentType | null {
  if (text === null) return null;
  if (/restate/i.test(text)) return 'restatement';
  return /new\s*holding/i.test(text) ? 'new_holdings' : null;
}

/** Set when the amendment discloses confidential positions; dates and reason only when readable. */
function revealOf(texts: CoverTexts): ConfidentialReveal | null {
  if (flagOf('confDeniedExpired', texts.confDeniedExpired) !== true) return null;
  const reason = texts.reasonForNonConfidentiality ?? '';
  return {
    reason: /denied/i.test(reason) ? 'denied' : /expired/i.test(reason) ? 'expired' : null,
    dateDeniedOrExpired: dayOf(texts.dateDeniedExpired),
    dateReported: dayOf(texts.dateReported),
  };
}

/** `MM-DD-YYYY`. */
function dayOf(text: string | null): IsoDate | null {
  const [, month, day, year] = /^(\d{2})-(\d{2})-(\d{4})$/.exec(text?.trim() ?? '') ?? [];
  const date = `${year}-${month}-${day}`;
  return isIsoDate(date) ? date : null;
}

function countOf(element: string, text: string | null): number | null {
  if (text === null) return null;
  const bare = text.replaceAll(',', '');
  if (!/^\d{1,9}$/.test(bare)) throw unreadable(element, text);
  return Number(bare);
}
