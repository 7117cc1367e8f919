import type { Accession } from '../../ids.ts';
import type { Exempt } from '../../insider/coverage.ts';
import { isRounded } from '../../insider/identity.ts';
import { FOREIGN_INSIDERS_FILE_FROM } from '../../insider/thresholds.ts';
import { blocksIn, isEffective } from '../../insider/trades.ts';
import type { Reason } from '../../quality/quality.ts';
import type { SecurityResolution } from '../../security/mapping.ts';
import { ownTrades } from '../corroboration.ts';
import type { BriefFacts } from '../facts.ts';
import type { InsiderLeg } from '../insider-leg.ts';
import { are, counted, namedFilings } from './numbers.ts';
import type { Sentences } from './reason-limitations.ts';

/** What a reader must know of the Form 4 leg: its coverage, the amounts of trades, which trades count. */
export function insiderLimitations(facts: BriefFacts): Sentences {
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
    insider_filings_unread: unreadFormsWords(insiders.unread) ?? false,
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

/** Forms 4 that cannot be read (rule 8.4), those of an issuer unless it is said otherwise; null for none. */
export function unreadFormsWords(accessions: readonly Accession[], whose = ' of the issuer'): string | null {
  if (accessions.length === 0) return null;
  return `${counted(accessions.length, 'Form 4 filing')}${whose} could not be read: ${namedFilings(accessions)}. What ${accessions.length === 1 ? 'it reports' : 'they report'} is not known and in no figure.`;
}
