import { filingDeadline, newestDueQuarter, newestEndedQuarter } from '../../calendar.ts';
import { managersIn, type Period } from '../../holders/institutional.ts';
import type { QuarterEnd } from '../../ids.ts';
import type { Exempt } from '../../insider/exempt.ts';
import { isRounded } from '../../insider/identity.ts';
import { FOREIGN_INSIDERS_FILE_FROM } from '../../insider/thresholds.ts';
import { blocksIn, isEffective } from '../../insider/trades.ts';
import type { Reason } from '../../quality/quality.ts';
import { previousQuarterEnd } from '../../quarter.ts';
import type { SecurityResolution } from '../../security/resolution.ts';
import type { LimitationCode } from '../../wire/limitation.ts';
import { ownTrades } from '../corroboration.ts';
import type { BriefFacts } from '../facts.ts';
import type { InsiderLeg } from '../insider-leg.ts';
import { are, counted, namedFilings } from './numbers.ts';
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

function ofSecurity({ input: { resolution, requestedTicker, asOf } }: BriefFacts): Sentences {
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
      `The ticker was resolved with lower confidence: its source is dated after ${asOf} or has no date.`,
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
      `The quarter ended ${ended} is over, but no tracked manager has reported it yet.`,
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
  const [gone, last, first] = [managersIn(stopped), stopped[0]?.quarter_end, stopped.at(-1)?.quarter_end];
  const span = first === last ? first : `${first} to ${last}`;
  const behind = (n: number): string =>
    `${counted(n, 'manager')} that held the security ${n === 1 ? 'has' : 'have'} not reported for ${latest}`;
  return {
    managers_late:
      current > 0 &&
      `${behind(current)} yet. ${current === 1 ? 'It is counted by its report' : 'They are counted by their reports'} for ${carried}; this is not an exit.`,
    managers_stopped:
      gone > 0 &&
      `${behind(gone)}. ${gone === 1 ? 'Its last report' : 'Their last reports'}, for ${span}, ${gone === 1 ? 'is' : 'are'} not counted.`,
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
      `The SEC's daily prices of the days from ${days.from} to ${days.through} are not all stored: a split or a new CUSIP of these days can only be suspected.`,
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

/** What a reader must know of the Form 4 leg: its coverage, the amounts of trades, which trades count. */
function insiderLimitations(facts: BriefFacts): Sentences {
  return { ...ofCoverage(facts), ...ofAmounts(facts.insiders), ...ofCounting(facts) };
}

function ofCoverage({ insiders, coverage: { form4 }, input: { resolution } }: BriefFacts): Sentences {
  const isIssuerKnown = resolution.kind === 'resolved' && resolution.issuerCik !== null;
  return {
    form4_unavailable:
      isIssuerKnown && form4.status === 'unavailable' && 'Form 4 filings of the issuer are not covered.',
    form4_incomplete:
      form4.status === 'partial' &&
      `Form 4 coverage of the window from ${form4.window_start} to ${form4.window_end} is incomplete.`,
    insider_filings_unread:
      insiders.unread.length > 0 &&
      `${counted(insiders.unread.length, 'Form 4 filing')} of the issuer could not be read: ${namedFilings(insiders.unread)}. What ${insiders.unread.length === 1 ? 'it reports' : 'they report'} is not known and in no figure.`,
    insiders_exempt: insiders.exempt !== null && exemptWords(insiders.exempt, resolution),
    private_trades_included:
      insiders.trades.length > 0 &&
      'Codes P and S include private purchases and sales, which the forms do not tell apart.',
  };
}

function ofAmounts(insiders: InsiderLeg): Sentences {
  const { trades } = insiders;
  const imported = trades.filter(isRounded).length;
  const unpriced = countReason(trades, 'price_missing') + countReason(trades, 'price_zero');
  const foreign = countReason(trades, 'foreign_currency_price');
  const ofOther = countReason(trades, 'price_of_other_security');
  const implausible = countReason(trades, 'price_implausible');
  const offered = countReason(trades, 'possible_offering');
  return {
    imported_form4:
      imported > 0 &&
      `${counted(imported, 'trade was', 'trades were')} read from the SEC's quarterly data sets, not from the forms. Share counts and prices are rounded to two decimals there.`,
    trades_unpriced:
      unpriced > 0 &&
      `${counted(unpriced, 'trade has', 'trades have')} no price${weightWords(unpriced, insiders)}.`,
    foreign_currency_price:
      foreign > 0 &&
      `${counted(foreign, 'trade has', 'trades have')} a price in another currency${weightWords(foreign, insiders)}.`,
    price_of_other_security:
      ofOther > 0 &&
      `${counted(ofOther, 'trade has', 'trades have')} the price of another security than the shares counted, such as a depositary share${weightWords(ofOther, insiders)}.`,
    price_implausible:
      implausible > 0 &&
      `${counted(implausible, 'trade has', 'trades have')} a price far above those of 13F reports or of other trades around it, or below zero${weightWords(implausible, insiders)}.`,
    possible_offering:
      offered > 0 &&
      `${counted(offered, 'trade')} may be part of an offering: many insiders traded at one price.`,
  };
}

function ofCounting(facts: BriefFacts): Sentences {
  const { trades, considered, shown } = facts.insiders;
  const otherClass = countReason(considered, 'other_share_class');
  const openClass = countReason(trades, 'share_class_unresolved');
  const own = ownTrades(facts).trades.length;
  const { unreadable } = facts.insiders;
  const dropped = considered.filter((trade) => !isEffective(trade)).length - otherClass - unreadable.length;
  return {
    row_unreadable: unreadableWords(unreadable),
    other_share_class:
      otherClass > 0 &&
      `${are(otherClass, 'trade')} in ${otherClass === 1 ? 'another security' : 'other securities'} of the issuer and left out.`,
    share_class_unresolved:
      openClass > 0 && `${are(openClass, 'trade')} counted although the share class is unknown.`,
    trades_of_leg_managers:
      own > 0 &&
      (own === 1
        ? '1 trade is by a manager of the 13F leg. It does not corroborate what the manager itself reports.'
        : `${own} trades are by managers of the 13F leg. They do not corroborate what these managers themselves report.`),
    duplicate_trade: blockWords(facts.insiders),
    trades_left_out:
      dropped > 0 &&
      `${are(dropped, 'reported trade')} replaced, repeated or unusable; see quality_artifacts.`,
    trades_cut:
      trades.length > shown.length &&
      `Only the ${shown.length === 1 ? 'newest' : `${shown.length} newest`} of ${trades.length} trades ${shown.length === 1 ? 'is' : 'are'} shown; of one day, the largest come first. The counts cover all of them.`,
  };
}

/** Trades without a known price weigh nothing beside others; alone, their side is the stance (rule 7.4). */
function weightWords(count: number, { stance, netValueCents }: InsiderLeg): string {
  const isDirected = stance === 'net_buying' || stance === 'net_selling';
  if (!isDirected || netValueCents !== 0n) return ' and no weight in the stance';
  return `, and the stance rests on ${count === 1 ? 'its' : 'their'} side alone`;
}

/** Names the filings: what is missing of them may be a purchase or a sale. */
function unreadableWords(unreadable: InsiderLeg['unreadable']): string | false {
  const filings = [...new Set(unreadable.map(({ filing }) => filing.header.accession))];
  return (
    filings.length > 0 &&
    `${counted(filings.length, 'Form 4 filing was', 'Form 4 filings were')} read only in part, without ${counted(unreadable.length, 'row')}: ${filings.join(', ')}.`
  );
}

function blockWords({ trades, considered }: InsiderLeg): string | false {
  const blocks = blocksIn(trades, considered).length;
  const them = blocks === 1 ? 'it' : 'them';
  return (
    blocks > 0 &&
    `${are(blocks, 'trade')} counted once although filers without a common owner report ${them}: their forms show one group.`
  );
}

/** With what the name comes from, so that a reader can judge it. */
function exemptWords(exempt: Exempt, resolution: SecurityResolution): string | false {
  if (resolution.kind !== 'resolved') return false;
  const named = `"${resolution.name}" in ${resolution.sources.join(' and ')}`;
  return exempt === 'fund'
    ? `Insiders of exchange-traded funds do not file Form 4, and its name says that the security is one (${named}).`
    : `Insiders of foreign private issuers did not have to file Form 4 before ${FOREIGN_INSIDERS_FILE_FROM}, and its name suggests that the issuer is one (${named}).`;
}

function countReason(items: readonly { readonly reasons: readonly Reason[] }[], reason: Reason): number {
  return items.filter(({ reasons }) => reasons.includes(reason)).length;
}
