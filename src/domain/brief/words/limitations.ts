import { filingDeadline, newestDueQuarter, newestEndedQuarter } from '../../calendar.ts';
import { managersIn, type Period } from '../../holders/institutional.ts';
import type { QuarterEnd } from '../../ids.ts';
import { previousQuarterEnd } from '../../quarter.ts';
import type { LimitationCode } from '../../wire/limitation.ts';
import type { BriefFacts } from '../facts.ts';
import { behindWords, stoppedWords } from './holder-words.ts';
import { insiderLimitations } from './insider-limitations.ts';
import { counted, namedFilings } from './numbers.ts';
import type { Sentences } from './reason-limitations.ts';

/** What a reader must know before relying on the numbers. */
type Limitation = { readonly code: LimitationCode; readonly sentence: string };

/**
 * What a reader must know before relying on the numbers, as sentences in a fixed order:
 * the security, the quarter and its filing window, the corpus, the 13F leg, the Form 4 leg.
 */
export function limitationsOf(facts: BriefFacts): Limitation[] {
  const groups: Sentences[] = [
    ofSecurity(facts),
    ofQuarter(facts),
    { quarter_end_positions: QUARTER_END_POSITIONS },
    ofCorpus(facts),
    ofUnreadReports(facts),
    facts.holders.limitations,
    insiderLimitations(facts),
  ];
  return groups.flatMap((group) =>
    Object.entries(group).flatMap(([code, sentence]) =>
      sentence === false ? [] : [{ code: code as LimitationCode, sentence }],
    ),
  );
}

const QUARTER_END_POSITIONS =
  'Form 13F reports show positions at the end of a quarter, not the days on which a manager traded.';

const MAYBE_OTHER_CUSIP = ' The security may have had another CUSIP then, so its holders may be missing.';

function ofSecurity({ input: { resolution, requestedTicker, asOf }, holders }: BriefFacts): Sentences {
  if (resolution.kind === 'unknown') {
    return {
      ticker_unknown: `No source known on ${asOf} maps ${requestedTicker} to a security or an issuer.`,
    };
  }
  if (resolution.kind === 'ambiguous') {
    const candidates = resolution.candidates.join('; ');
    return {
      ticker_ambiguous: `${requestedTicker} stands for more than one issuer around ${asOf}: ${candidates}.`,
    };
  }
  const isMissed = resolution.isLaterCusip === true && holders.leg.tracked_managers_observed === 0;
  return {
    ticker_renamed:
      resolution.formerTicker !== undefined &&
      `${resolution.formerTicker} is a former ticker of ${resolution.name}, which has the ticker ${resolution.ticker} today.`,
    cusip_unknown:
      resolution.cusip === null &&
      `No CUSIP is known for ${resolution.ticker}, so 13F rows cannot be matched.`,
    issuer_unknown:
      resolution.issuerCik === null &&
      `No issuer CIK is known for ${resolution.ticker}, so Form 4 filings cannot be matched.`,
    mapping_later_source:
      resolution.reasons.includes('mapping_later_source') &&
      `The ticker was resolved with lower confidence: its source is dated after ${asOf} or has no date.${isMissed ? MAYBE_OTHER_CUSIP : ''}`,
  };
}

function ofQuarter({ input: { corpus, asOf }, holders }: BriefFacts): Sentences {
  const latest = corpus.latestReportedQuarterEnd;
  if (latest === null) return { no_13f_report: 'No 13F report is stored for any quarter.' };
  const deadline = filingDeadline(latest);
  const isOpen = corpus.filingWindow === 'open';
  const [due, ended] = [newestDueQuarter(asOf), newestEndedQuarter(asOf)];
  return {
    filing_window_open:
      isOpen &&
      `The statutory 13F filing window for the quarter ended ${latest} is open through ${deadline}. More reports may follow.`,
    filing_window_closed:
      !isOpen && `The statutory 13F filing window for the quarter ended ${latest} closed on ${deadline}.`,
    due_quarter_missing:
      latest < due &&
      `Reports for the quarter ended ${due} were due by ${filingDeadline(due)}, but none is stored.`,
    ended_quarter_unreported:
      latest >= due &&
      latest < ended &&
      `The quarter ended ${ended} is over, but no report for it is stored yet.`,
    ...ofManagersBehind(holders.late, { latest, carried: isOpen ? previousQuarterEnd(latest) : null }),
  };
}

/** Managers whose last report is for the quarter `carried` count by it. Those further behind do not count. */
function ofManagersBehind(
  late: readonly Period[],
  { latest, carried }: { readonly latest: QuarterEnd; readonly carried: QuarterEnd | null },
): Sentences {
  const current = managersIn(late.filter(({ quarter_end }) => quarter_end === carried));
  const stopped = late.filter(({ quarter_end }) => quarter_end !== carried);
  return {
    managers_late:
      current > 0 &&
      `${behindWords(current, latest)} yet. ${current === 1 ? 'It is counted by its report' : 'They are counted by their reports'} for ${carried}; this is not an exit.`,
    managers_stopped: stoppedWords(latest, stopped),
  };
}

function ofCorpus({ input: { corpus } }: BriefFacts): Sentences {
  const { thirteenF, form4 } = corpus.quarantined;
  const { pricesMissing: days } = corpus;
  return {
    selected_filings:
      !corpus.sourceComplete &&
      `The corpus (${corpus.corpus}) is a selection of EDGAR's filings. Other managers and insiders may have reported more.`,
    prices_missing:
      days !== undefined &&
      `The SEC's daily prices of the days from ${days.from} to ${days.through} are not all stored: a split of these days can only be suspected, only equal counts of its holders show a new CUSIP, and what few managers were given in a spin-off looks like a purchase.`,
    unparsed_13f: thirteenF > 0 && unparsed(thirteenF, '13F filing'),
    unparsed_form4: form4 > 0 && unparsed(form4, 'Form 4 filing'),
  };
}

function unparsed(count: number, noun: string): string {
  return `${counted(count, noun)} could not be parsed and ${count === 1 ? 'is' : 'are'} excluded from all figures.`;
}

function ofUnreadReports({ holders: { unread } }: BriefFacts): Sentences {
  const filings = unread.map(({ accession, quarterEnd }) => `${accession} for ${quarterEnd}`);
  return {
    holder_filings_unread:
      filings.length > 0 &&
      `${counted(filings.length, '13F filing')} of managers that held the security could not be read: ${namedFilings(filings)}. What ${filings.length === 1 ? 'it says' : 'they say'} of the security is not known and in no figure.`,
  };
}
