import { compare } from '../compare.ts';
import { groupBy } from '../group.ts';
import type { Cik, Cusip } from '../ids.ts';
import { MIN_PRICE_FILERS } from '../report/thresholds.ts';
import type { FiledQuarter, FiledQuarters } from './filed-quarter.ts';
import { medianOf, medianPrice, medianWithout, type Quotes, quotesOf } from './price.ts';
import {
  addCompared,
  decideScale,
  emptySample,
  isDoubtful,
  isOnScale,
  type ScaleSample,
} from './scale-vote.ts';
import { OUTLIER_BAND } from './thresholds.ts';
import type { FilingScale } from './verdict.ts';

/** The price that other filers give each row of the quarter, as a decimal logarithm; NaN for none. */
type PeerPrices = Float64Array;

/** What is decided of the quarter's filings, by their numbers. */
type Decided = {
  readonly samples: readonly ScaleSample[];
  /** Null where the scale is simply that of the date. */
  readonly scales: readonly (FilingScale | null)[];
  /** Decimal orders by which the scale is corrected; NaN leaves the quotes of the filing out. */
  readonly shifts: Float64Array;
};

/**
 * Compares the prices in each filing of the quarter with those of the other filers, and judges the
 * filings when all securities were added.
 */
export function scaleLedger(quarters: FiledQuarters) {
  const { current, names } = quarters;
  const numbers = numberFilings(current);
  const prices: PeerPrices = new Float64Array(current.columns().flags.length).fill(Number.NaN);
  /** Securities that enough filers price in the quarter itself. */
  const priced = new Set<number>();
  const asFiled = new Float64Array(numbers.count);
  return {
    add: (security: number): void => {
      const quotes = quotesOf(current, security);
      if (quotes.rows.length <= MIN_PRICE_FILERS) priceElsewhere(quarters, security, { quotes, prices });
      else {
        priced.add(security);
        priceAmong(quotes, prices, shiftsOf(current, numbers, { quotes, shifts: asFiled }));
      }
    },
    judge: () => {
      const last = decideTwice({ current, numbers, priced, prices }, asFiled);
      const slips = slipsOf({ current, numbers, priced, prices }, last);
      return {
        scalesOf: (cik: Cik): FilingScale[] =>
          numbers
            .of(cik)
            .map((filing) => last.scales[filing] ?? null)
            .filter((scale) => scale !== null)
            .sort((a, b) => compare(a.accession, b.accession)),
        outliersOf: (cik: Cik): Cusip[] =>
          numbers
            .of(cik)
            .flatMap((filing) => slips.get(filing) ?? [])
            .map(({ security }) => names.securities.textOf(security))
            .sort(),
      };
    },
  };
}

type Numbers = ReturnType<typeof numberFilings>;

type Compared = {
  readonly current: FiledQuarter;
  readonly numbers: Numbers;
  readonly priced: ReadonlySet<number>;
  readonly prices: PeerPrices;
};

/** The filings of the quarter by numbers; those of a report follow each other. */
function numberFilings({ reports }: FiledQuarter) {
  const managers = [...reports.values()].map(({ manager }) => manager);
  const firstOf = new Int32Array(managers.reduce((most, manager) => Math.max(most, manager), -1) + 1);
  let count = 0;
  for (const { manager, filings } of reports.values()) {
    firstOf[manager] = count;
    count += filings.length;
  }
  const of = (cik: Cik): number[] => {
    const report = reports.get(cik);
    return (report?.filings ?? []).map((_, place) => (firstOf[report?.manager ?? -1] as number) + place);
  };
  return { count, firstOf, of };
}

type ShiftedQuotes = { readonly quotes: Quotes; readonly shifts: Float64Array };

/** The shift of each quote's filing. */
function shiftsOf(current: FiledQuarter, { firstOf }: Numbers, { quotes, shifts }: ShiftedQuotes) {
  const { manager, filing } = current.columns();
  const own = new Float64Array(quotes.rows.length);
  for (let at = 0; at < own.length; at += 1) {
    const row = quotes.rows[at] as number;
    own[at] = shifts[(firstOf[manager[row] as number] as number) + (filing[row] as number)] as number;
  }
  return own;
}

/** The median of the others' prices in their corrected scales, also for a quote that is itself left out. */
function priceAmong({ rows, logs }: Quotes, prices: PeerPrices, shifts: Float64Array): void {
  for (let at = 0; at < shifts.length; at += 1) (shifts[at] as number) += logs[at] as number;
  const corrected = shifts;
  const sorted = corrected.filter((log) => !Number.isNaN(log)).sort();
  const ofAll = sorted.length < MIN_PRICE_FILERS ? Number.NaN : medianOf(sorted);
  for (let at = 0; at < rows.length; at += 1) {
    const own = corrected[at] as number;
    prices[rows[at] as number] = Number.isNaN(own) ? ofAll : (medianWithout(sorted, own) ?? Number.NaN);
  }
}

/**
 * Without enough other holders, their price of the quarter before or after decides the scale. A scale is
 * off by a thousand or right. No confirmed split can lie between: its voters hold the security at both
 * ends, so there is a price. A slip is judged by the price of the same day only.
 */
function priceElsewhere(
  { prior, current, next }: FiledQuarters,
  security: number,
  { quotes, prices }: { readonly quotes: Quotes; readonly prices: PeerPrices },
): void {
  if (quotes.rows.length === 0) return;
  const { manager } = current.columns();
  const [before, after] = [prior, next].map((quarter) => ({ quarter, quotes: quotesOf(quarter, security) }));
  for (const row of quotes.rows) {
    const others = [before, after].map((at) => at && priceOfOthers(at, manager[row] as number));
    prices[row] = others[0] ?? others[1] ?? Number.NaN;
  }
}

/** No filer confirms itself (rule 4.2). */
export function priceOfOthers(
  { quarter, quotes }: { readonly quarter: Pick<FiledQuarter, 'columns'>; readonly quotes: Quotes },
  manager: number,
): number | null {
  const { manager: managers } = quarter.columns();
  const own = quotes.rows.findIndex((row) => managers[row] === manager);
  return own < 0 ? medianPrice(quotes) : medianWithout(quotes.logs.toSorted(), quotes.logs[own] as number);
}

/**
 * Two passes over the quotes as filed (rule 4.3). The first compares all in the scale of their date.
 * The second uses the scales that the first one corrected. It leaves out filings whose own prices
 * contradict their scale. So filers that share a mistake do not outvote an honest one, as long as
 * others show the mistake.
 */
function decideTwice(compared: Compared, asFiled: Float64Array): Decided {
  const first = decide(compared);
  priceAgain(compared, asFiled, first.shifts);
  const last = decide(compared);
  priceAgain(compared, first.shifts, last.shifts);
  return last;
}

/** Prices the securities of filings whose shift is another one now. The prices of the others stay. */
function priceAgain({ current, numbers, priced, prices }: Compared, before: Float64Array, now: Float64Array) {
  const { security, filing } = current.columns();
  const moved = new Set<number>();
  for (const { manager, filings } of current.reports.values()) {
    const first = numbers.firstOf[manager] as number;
    if (filings.every((_, place) => Object.is(before[first + place], now[first + place]))) continue;
    const { from, to } = current.rangeOf(manager);
    for (let row = from; row < to; row += 1) {
      const own = first + (filing[row] as number);
      if (!Object.is(before[own], now[own])) moved.add(security[row] as number);
    }
  }
  for (const one of moved) {
    if (!priced.has(one)) continue;
    const quotes = quotesOf(current, one);
    priceAmong(quotes, prices, shiftsOf(current, numbers, { quotes, shifts: now }));
  }
}

function decide({ current, numbers, prices }: Compared): Decided {
  const { amount, valueCents, filing } = current.columns();
  const samples: ScaleSample[] = new Array(numbers.count);
  for (const { manager, filings } of current.reports.values()) {
    const first = numbers.firstOf[manager] as number;
    for (const [place, own] of filings.entries()) samples[first + place] = emptySample(own);
    const { from, to } = current.rangeOf(manager);
    for (let row = from; row < to; row += 1) {
      const price = prices[row] as number;
      if (Number.isNaN(price)) continue;
      const log = Math.log10((valueCents[row] as number) / (amount[row] as number));
      const sample = samples[first + (filing[row] as number)] as ScaleSample;
      addCompared(sample, log - price, () => current.exactOf(row).valueCents);
    }
  }
  const scales = samples.map(decideScale);
  const shifts = Float64Array.from(samples, (sample, at) => shiftOf(sample, scales[at] ?? null));
  return { samples, scales, shifts };
}

function shiftOf(sample: ScaleSample, scale: FilingScale | null): number {
  if (scale === null) return 0;
  if (isDoubtful(sample, scale)) return Number.NaN;
  return Math.log10(Number(scale.scaleCents) / Number(sample.datedCents));
}

type Slip = { readonly filing: number; readonly security: number };

/** Rows that are slips in the scales decided last, by the number of the filing (rule 4.4). */
function slipsOf({ current, numbers, priced, prices }: Compared, { samples, scales, shifts }: Decided) {
  const { amount, valueCents, security, filing } = current.columns();
  const slips: Slip[] = [];
  for (const { manager, filings } of current.reports.values()) {
    const first = numbers.firstOf[manager] as number;
    const isJudged = filings.map((_, place) =>
      isOnScale(samples[first + place] as ScaleSample, scales[first + place] ?? null),
    );
    const { from, to } = current.rangeOf(manager);
    for (let row = from; row < to; row += 1) {
      const price = prices[row] as number;
      const place = filing[row] as number;
      if (Number.isNaN(price) || isJudged[place] !== true) continue;
      const log = Math.log10((valueCents[row] as number) / (amount[row] as number));
      const ratio = log + (shifts[first + place] as number) - price;
      const one = security[row] as number;
      if (Math.abs(ratio) > OUTLIER_BAND && priced.has(one))
        slips.push({ filing: first + place, security: one });
    }
  }
  return groupBy(slips, (slip) => slip.filing);
}
