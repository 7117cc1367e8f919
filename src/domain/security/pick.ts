import { addDays } from '../calendar.ts';
import { compare } from '../compare.ts';
import type { IsoDate } from '../ids.ts';
import { beginAlike, compareNames } from './issuer-name.ts';
import {
  firstSeen,
  isLaterWithinReach,
  isPlaceholder,
  issuerIn,
  lastSeen,
  movedWith,
  type SecurityMapping,
} from './mapping.ts';
import { FORM4_SYMBOL_DAYS, ISSUER_SYMBOL_DAYS, RECYCLED_TICKER_DAYS } from './thresholds.ts';

/** The mapping that holds on the as-of date, or why there is none. */
export type Pick =
  | { readonly kind: 'one'; readonly mapping: SecurityMapping; readonly isLater: boolean }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly mappings: readonly SecurityMapping[] };

/**
 * The CUSIP of a symbol: the latest settlement date up to the as-of date decides, so a change of CUSIP
 * takes effect. Without one, the earliest later source within two years. Placeholders stand in only where
 * nothing else states the symbol.
 *
 * @param mappings all statements of a CUSIP under the symbol
 */
export function pickCusip(mappings: readonly SecurityMapping[], asOf: IsoDate): Pick {
  const [placeholders = [], printed = []] = [true, false].map((is) =>
    mappings.filter((mapping) => isPlaceholder(mapping) === is),
  );
  const pick = pickAmong(printed, mappings, asOf);
  return pick.kind === 'none' ? pickAmong(placeholders, mappings, asOf) : pick;
}

type Own = readonly SecurityMapping[];

function pickAmong(mappings: Own, own: Own, asOf: IsoDate): Pick {
  const seen = mappings.filter((mapping) => lastSeen(mapping, asOf) !== null);
  const seenOn = (mapping: SecurityMapping): string => lastSeen(mapping, asOf) ?? '';
  const [best] = [...seen].sort((a, b) => compare(seenOn(b), seenOn(a)) || newestFirst(a, b));
  if (best === undefined) return pickLaterCusip(mappings, own, asOf);
  const recent = addDays(asOf, -RECYCLED_TICKER_DAYS);
  const rivals = seen.filter(
    (mapping) =>
      !isSameIssuer(mapping, best, own) && (seenOn(mapping) >= recent || seenOn(mapping) === seenOn(best)),
  );
  return rivals.length > 0 ? several([best, ...rivals]) : { kind: 'one', mapping: best, isLater: false };
}

function pickLaterCusip(mappings: Own, own: Own, asOf: IsoDate): Pick {
  const later = mappings.filter((mapping) => isLaterWithinReach(mapping, asOf));
  const from = (mapping: SecurityMapping): string => firstSeen(mapping) ?? '';
  const [best] = [...later].sort((a, b) => compare(from(a), from(b)) || byTarget(a, b));
  if (best === undefined) return { kind: 'none' };
  const limit = addDays(firstSeen(best) ?? asOf, RECYCLED_TICKER_DAYS);
  const rivals = later.filter((mapping) => !isSameIssuer(mapping, best, own) && from(mapping) <= limit);
  return rivals.length > 0 ? several([best, ...rivals]) : { kind: 'one', mapping: best, isLater: true };
}

/**
 * The issuer of a symbol (rule 3.5): a Form 4 near the as-of date, else the company list, else an older Form 4. When
 * recent forms or the list disagree, the descriptions of the picked CUSIP decide, then the list among the forms. So one
 * form with a wrong symbol does not take a ticker; forms of several days stand against a list of a later day.
 */
export function pickCik(
  mappings: readonly SecurityMapping[],
  asOf: IsoDate,
  descriptions: Descriptions,
): Pick {
  const listed = mappings.filter((mapping) => mapping.source === 'company_tickers');
  const list = pickListed(listed, asOf);
  const forms = mappings.filter((m) => m.source === 'form4' && lastSeen(m, asOf) !== null);
  const seenOn = (mapping: SecurityMapping): string => lastSeen(mapping, asOf) ?? '';
  forms.sort((a, b) => compare(seenOn(b), seenOn(a)) || byTarget(a, b));
  const [newest] = forms;
  if (newest === undefined) return list;
  if (seenOn(newest) < addDays(asOf, -FORM4_SYMBOL_DAYS)) {
    const older = list.kind === 'one' ? named([list.mapping, ...forms], descriptions.names) : null;
    return older === null && list.kind !== 'none' ? list : one(older ?? newest, asOf);
  }
  const recent = addDays(asOf, -ISSUER_SYMBOL_DAYS);
  const rivals = forms.filter((form) => form.cik !== newest.cik && seenOn(form) >= recent);
  const near = forms.filter((form) => seenOn(form) >= addDays(asOf, -FORM4_SYMBOL_DAYS));
  return decide({ newest, rivals, near, listed: listedOf(list) }, descriptions, asOf);
}

/** Names of the picked CUSIP in fails files; weaker evidence when later than the as-of date. */
type Descriptions = { readonly names: readonly string[]; readonly isLater: boolean };

type Contest = {
  readonly newest: SecurityMapping;
  /** Recent forms of other issuers. */
  readonly rivals: readonly SecurityMapping[];
  /** Forms near enough to beat the list, newest first. */
  readonly near: readonly SecurityMapping[];
  readonly listed: readonly SecurityMapping[];
};

function decide(contest: Contest, descriptions: Descriptions, asOf: IsoDate): Pick {
  const { newest, rivals, near, listed } = contest;
  const isListed = (form: SecurityMapping): boolean => listed.some((entry) => entry.cik === form.cik);
  const otherListed = isListed(newest) ? [] : listed;
  const contenders = [newest, ...rivals, ...otherListed];
  if (isOneIssuer(contenders)) return one(newest, asOf);
  const own = near.filter((form) => form.cik === newest.cik);
  const isLaterList = otherListed.every((entry) => lastSeen(entry, asOf) === null);
  // The ticker changed owner later: a later list is no evidence against forms of two days.
  const isKept = rivals.length === 0 && isLaterList && daysOf(own, asOf) > 1;
  if (isKept && descriptions.isLater) return one(newest, asOf);
  // A form of the listed issuer comes first, because it is dated.
  const best = named([...near, ...otherListed], descriptions.names);
  if (best !== null && contenders.some((mapping) => mapping.cik === best.cik)) return one(best, asOf);
  const confirmed = [newest, ...rivals].filter(isListed);
  const [only] = confirmed;
  if (only !== undefined && isOneIssuer(confirmed)) return one(only, asOf);
  return isKept ? one(newest, asOf) : several(contenders);
}

function daysOf(forms: readonly SecurityMapping[], asOf: IsoDate): number {
  return new Set(forms.flatMap((form) => [firstSeen(form), lastSeen(form, asOf)])).size;
}

/** The first mapping of the one issuer that a description names; null when none or several are named. */
function named(mappings: readonly SecurityMapping[], descriptions: readonly string[]) {
  const matching = mappings.filter(({ name }) =>
    descriptions.some((description) => compareNames(description, name) === 'same'),
  );
  const [first] = matching;
  return first !== undefined && isOneIssuer(matching) ? first : null;
}

function isOneIssuer(mappings: readonly SecurityMapping[]): boolean {
  return new Set(mappings.map(({ cik }) => cik)).size <= 1;
}

function listedOf(list: Pick): readonly SecurityMapping[] {
  if (list.kind === 'none') return [];
  return list.kind === 'one' ? [list.mapping] : list.mappings;
}

function pickListed(listed: readonly SecurityMapping[], asOf: IsoDate): Pick {
  const usable = listed.filter(
    (mapping) =>
      mapping.sourceDate === null || lastSeen(mapping, asOf) !== null || isLaterWithinReach(mapping, asOf),
  );
  const [best] = [...usable].sort(
    (a, b) =>
      compare(lastSeen(b, asOf) ?? '', lastSeen(a, asOf) ?? '') ||
      compare(firstSeen(a) ?? '9', firstSeen(b) ?? '9') ||
      byTarget(a, b),
  );
  if (best === undefined) return { kind: 'none' };
  const rivals = usable.filter(
    (mapping) => mapping.cik !== best.cik && mapping.sourceDate === best.sourceDate,
  );
  return rivals.length > 0 ? several([best, ...rivals]) : one(best, asOf);
}

/** An undated list may be later than the as-of date, so it counts as later. */
function one(mapping: SecurityMapping, asOf: IsoDate): Pick {
  return { kind: 'one', mapping, isLater: lastSeen(mapping, asOf) === null };
}

function several(mappings: readonly SecurityMapping[]): Pick {
  return { kind: 'several', mappings };
}

/**
 * The same issuer part of the CUSIP, the same name after a change of domicile, or a symbol that moved from one
 * to the other with placeholders (rule 3.5).
 *
 * @param own all statements of a CUSIP under the symbol of both
 */
export function isSameIssuer(a: SecurityMapping, b: SecurityMapping, own: Own): boolean {
  return issuerIn(a) === issuerIn(b) || beginAlike(a.name, b.name) || movedWith(a.cusip, own).has(b.cusip);
}

function newestFirst(a: SecurityMapping, b: SecurityMapping): number {
  return compare(firstSeen(b) ?? '', firstSeen(a) ?? '') || byTarget(a, b);
}

/** Breaks ties of equal dates, so the order of arrival never decides. */
function byTarget(a: SecurityMapping, b: SecurityMapping): number {
  return (
    compare(a.cusip ?? '', b.cusip ?? '') || compare(a.cik ?? '', b.cik ?? '') || compare(a.name, b.name)
  );
}
