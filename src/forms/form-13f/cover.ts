import type {
  AmendmentType,
  ConfidentialReveal,
  OtherManager,
  ThirteenF,
} from '../../domain/filing/filing.ts';
import { type Cik, type IsoDate, isIsoDate, parseCik, type QuarterEnd } from '../../domain/ids.ts';
import { parseQuarterEnd } from '../../domain/quarter.ts';
import { at, childrenOf, readElement, textAt } from '../element.ts';
import { ParseError, unreadable } from '../parse-error.ts';
import { flagOf, parseAmount, squeeze } from '../value.ts';
import type { XmlElement } from '../xml.ts';

/** The fields of cover and summary pages; `rows` and fields of the header are added later. */
export type Cover = Omit<
  ThirteenF,
  'kind' | 'header' | 'cik' | 'managerName' | 'isAmendment' | 'textConfidence' | 'rows'
> & { readonly cik: Cik | null; readonly managerName: string | null };

/**
 * Reads `edgarSubmission`. The two lists of other managers have opposite meanings (rule 2.12): those on the
 * cover page report for this manager, those on the summary page are included in this report.
 */
export function readCover(xml: string): Cover {
  const root = readElement(xml, 'edgarSubmission');
  const page = at(root, 'formData', 'coverPage');
  if (page === null) throw unreadable('coverPage', null);
  const summary = at(root, 'formData', 'summaryPage');
  return {
    cik: parseCik(textAt(root, 'headerData', 'filerInfo', 'filer', 'credentials', 'cik') ?? ''),
    managerName: textAt(page, 'filingManager', 'name'),
    reportType: reportTypeOf(textAt(page, 'reportType')),
    quarterEnd: quarterEndOf(textAt(page, 'reportCalendarOrQuarter')),
    amendmentNumber: countOf('amendmentNo', textAt(page, 'amendmentNo')),
    confidentialReveal: revealOf(at(page, 'amendmentInfo')),
    amendmentType: amendmentTypeOf(textAt(page, 'amendmentInfo', 'amendmentType')),
    form13fFileNumber: textAt(page, 'form13FFileNumber'),
    reportedBy: reportedByOf(page),
    schemaVersion: textAt(root, 'schemaVersion'),
    ...summaryOf(summary),
  };
}

function summaryOf(page: XmlElement | null) {
  const total = textAt(page, 'tableValueTotal');
  const value = total === null ? null : parseAmount(total);
  if (total !== null && value === null) throw unreadable('tableValueTotal', total);
  return {
    confidentialOmitted: flagOf('isConfidentialOmitted', textAt(page, 'isConfidentialOmitted')),
    declaredEntryTotal: countOf('tableEntryTotal', textAt(page, 'tableEntryTotal')),
    declaredValueTotal: value?.value ?? null,
    includes: includesOf(page),
  };
}

function reportedByOf(page: XmlElement): readonly OtherManager[] {
  return childrenOf(at(page, 'otherManagersInfo'), 'otherManager').map((entry) =>
    otherManagerOf(entry, null),
  );
}

function includesOf(page: XmlElement | null): readonly OtherManager[] {
  return childrenOf(at(page, 'otherManagers2Info'), 'otherManager2').map((entry) => {
    const sequence = countOf('sequenceNumber', textAt(entry, 'sequenceNumber'));
    return otherManagerOf(at(entry, 'otherManager') ?? entry, sequence);
  });
}

function otherManagerOf(entry: XmlElement, sequence: number | null): OtherManager {
  return {
    name: squeeze(textAt(entry, 'name') ?? ''),
    cik: parseCik(textAt(entry, 'cik') ?? ''),
    form13fFileNumber: textAt(entry, 'form13FFileNumber'),
    sequence,
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
function revealOf(info: XmlElement | null): ConfidentialReveal | null {
  if (flagOf('confDeniedExpired', textAt(info, 'confDeniedExpired')) !== true) return null;
  const reason = textAt(info, 'reasonForNonConfidentiality') ?? '';
  return {
    reason: /denied/i.test(reason) ? 'denied' : /expired/i.test(reason) ? 'expired' : null,
    dateDeniedOrExpired: dayOf(textAt(info, 'dateDeniedExpired')),
    dateReported: dayOf(textAt(info, 'dateReported')),
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
