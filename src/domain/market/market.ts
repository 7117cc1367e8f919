import { addDays } from '../calendar.ts';
import { compare } from '../compare.ts';
import { groupBy } from '../group.ts';
import type { Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import { previousQuarterEnd } from '../quarter.ts';
import { BOUNDARY_DAYS, JUMP_DAYS, NO_JUMP, STEP_TOLERANCE } from './thresholds.ts';

/** A price that is older is not that of the day. */
const PRICE_DAYS = 7;

/** One row of a fails-to-deliver file: the closing price of the day before its settlement date, in dollars. */
export type PriceDay = {
  readonly day: IsoDate;
  readonly price: number;
  /** Name of the file, and its row, counted from 1 without the header. */
  readonly file: string;
  /** Of the bytes of the file. */
  readonly sha256: string;
  readonly row: number;
};

/** What one file says of a CUSIP under one symbol, a list for each field: a file has some 60,000 days. */
export type PricedSecurity = {
  readonly cusip: Cusip;
  /** As printed. */
  readonly symbol: string;
  readonly name: string;
  /** In any order: days as `YYYYMMDD`, dollars, rows. */
  readonly days: readonly number[];
  readonly prices: readonly number[];
  readonly rows: readonly number[];
};

export type PriceFile = {
  readonly name: string;
  readonly sha256: string;
  readonly securities: readonly PricedSecurity[];
};

/** Two neighbouring days of a file, or of a symbol that went on under another CUSIP: the proof of a change. */
export type PriceStep = { readonly last: PriceDay; readonly first: PriceDay };

/** A symbol that went on under another CUSIP. */
export type Succession = PriceStep & {
  readonly symbol: string;
  readonly from: Cusip;
  readonly to: Cusip;
  readonly names: readonly [before: string, after: string];
};

/** The daily prices between two quarter ends and of some days around them. */
export type Market = ReturnType<typeof marketOf>;

type Named = PricedSecurity & Pick<PriceDay, 'file' | 'sha256'>;

/**
 * While a CUSIP changes the SEC prints `LINXXXX` under the old one, with its last price, and `LINZZZZ` under the new
 * one before it trades, mostly with a cent. Neither is a symbol, and neither is a price of the day.
 */
const PLACEHOLDER = /(?:XXXX|ZZZZ)$/;

/** Reads the files of a quarter together; their order does not matter. */
export function marketOf(files: readonly PriceFile[]) {
  const stated = files.flatMap(({ name: file, sha256, securities }) =>
    securities
      .filter(({ symbol, days }) => days.length > 0 && !PLACEHOLDER.test(symbol))
      .map((security): Named => ({ ...security, file, sha256 })),
  );
  const byCusip = groupBy(stated, ({ cusip }) => cusip);
  let successions: readonly Succession[] | null = null;
  return {
    /** Of one security, in the order of the days. */
    pricesOf: (cusip: Cusip): readonly PriceDay[] => daysIn(byCusip.get(cusip) ?? []),
    cusips: (): Iterable<Cusip> => byCusip.keys(),
    /** Dollars a share on the last day with a price up to this one; null where that was more than a week before. */
    priceOn: (cusip: Cusip, day: IsoDate): number | null => {
      const last = daysIn(byCusip.get(cusip) ?? []).findLast((one) => one.day <= day);
      return last === undefined || last.day < addDays(day, -PRICE_DAYS) ? null : last.price;
    },
    successions: (): readonly Succession[] => {
      successions ??= [...groupBy(stated, ({ symbol }) => symbol).values()].flatMap(successionsOf);
      return successions;
    },
  };
}

export const NO_MARKET: Market = marketOf([]);

function daysIn(stated: readonly Named[]): PriceDay[] {
  const days = stated.flatMap(({ file, sha256, days, prices, rows }) =>
    days.map((day, at) => {
      const [price, row] = [prices[at] as number, rows[at] as number];
      return { day: isoDate(day), price, file, sha256, row };
    }),
  );
  return days.sort((a, b) => compare(a.day, b.day) || compare(a.file, b.file) || a.row - b.row);
}

function isoDate(day: number): IsoDate {
  const digits = String(day);
  return `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}` as IsoDate;
}

/** Every two CUSIPs of which one symbol named first only the one, then only the other. */
function successionsOf(stated: readonly Named[]): Succession[] {
  const [one] = stated;
  if (one === undefined || stated.every(({ cusip }) => cusip === one.cusip)) return [];
  const spans = [...groupBy(stated, ({ cusip }) => cusip)]
    .map(([cusip, own]) => ({ cusip, name: lastName(own), days: daysIn(own) }))
    .sort((a, b) => compare(firstOf(a.days).day, firstOf(b.days).day) || compare(a.cusip, b.cusip));
  return spans.slice(1).flatMap((after, at): Succession[] => {
    const before = spans[at] as (typeof spans)[number];
    const [last, first] = [before.days.at(-1) as PriceDay, firstOf(after.days)];
    if (last.day >= first.day) return [];
    const names = [before.name, after.name] as const;
    return [{ symbol: one.symbol, from: before.cusip, to: after.cusip, names, last, first }];
  });
}

/** That of the last day, whatever the order of the files. */
function lastName(own: readonly Named[]): string {
  const last = (one: Named) => Math.max(...one.days);
  return own.reduce((a, b) => (last(b) > last(a) ? b : a)).name;
}

function firstOf(days: readonly PriceDay[]): PriceDay {
  return days[0] as PriceDay;
}

/** Old price over new one, which is what a split multiplies shares by, and the two days. */
export type Jump = PriceStep & { readonly ratio: number };

/** How a price went from one quarter end to the next. */
export type PricePath = {
  /** Between two neighbouring days. */
  readonly jumps: readonly Jump[];
  /** Whether a split by this factor may lie in it: no two neighbouring prices show that there was none (rule 4.6). */
  readonly mayHide: (factor: number) => boolean;
};

/** What the reports themselves say of the price at the two ends, in dollars; null where they do not. */
export type PricesAtEnds = { readonly before: number | null; readonly after: number | null };

/** First and last day. */
export type Days = { readonly from: IsoDate; readonly through: IsoDate };

/**
 * @param days prices of one security, in the order of the days
 */
export function pricePath(
  days: readonly PriceDay[],
  quarterEnd: QuarterEnd,
  { before, after }: PricesAtEnds,
): PricePath {
  const start = previousQuarterEnd(quarterEnd);
  const within = days.filter(({ day }) => day > start && day <= quarterEnd);
  const jumps = days.slice(1).flatMap((first, at): Jump[] => {
    const last = days[at] as PriceDay;
    const ratio = last.price / first.price;
    const isNear = first.day <= addDays(last.day, JUMP_DAYS) && isNearQuarter(last, first, quarterEnd);
    return isNear && Math.abs(Math.log(ratio)) > Math.log(NO_JUMP) ? [{ last, first, ratio }] : [];
  });
  if (within.length === 0 || before === null || after === null) return { jumps, mayHide: () => true };
  const chain = [before, ...within.map(({ price }) => price), after];
  const steps = chain.slice(1).map((price, at) => (chain[at] as number) / price);
  return { jumps, mayHide: (factor) => steps.some((step) => isOfStep(step / factor)) };
}

function isOfStep(ratio: number): boolean {
  return Math.abs(Math.log(ratio)) <= Math.log(STEP_TOLERANCE);
}

/** A row's price is that of the day before, and who counts shares after which day is not the same everywhere. */
function isNearQuarter({ day: last }: PriceDay, { day: first }: PriceDay, quarterEnd: QuarterEnd): boolean {
  return first > previousQuarterEnd(quarterEnd) && last <= addDays(quarterEnd, BOUNDARY_DAYS);
}

/** The half-months between two days, which the SEC publishes a file each of: the `a` ones end with the 15th. */
export function halfMonths({ from, through }: Days): (Days & { readonly name: string })[] {
  const found: (Days & { readonly name: string })[] = [];
  for (let day = from; day <= through; day = addDays(found.at(-1)?.through ?? day, 1)) {
    const [month, isFirst] = [day.slice(0, 7), Number(day.slice(8)) <= 15];
    const nextMonth = addDays(`${month}-28` as IsoDate, 4).slice(0, 7);
    found.push({
      name: `cnsfails${month.replace('-', '')}${isFirst ? 'a' : 'b'}.zip`,
      from: `${month}-${isFirst ? '01' : '16'}` as IsoDate,
      through: isFirst ? (`${month}-15` as IsoDate) : addDays(`${nextMonth}-01` as IsoDate, -1),
    });
  }
  return found;
}

/** The days of a quarter from the first to the last half-month without a file; null where all have one (rule 4.6). */
export function daysWithoutPrices(
  quarterEnd: QuarterEnd,
  files: readonly { readonly from: IsoDate; readonly to: IsoDate }[],
): Days | null {
  const quarter = { from: addDays(previousQuarterEnd(quarterEnd), 1), through: quarterEnd };
  const missing = halfMonths(quarter).filter(
    (half) => !files.some(({ from, to }) => from <= half.through && to >= half.from),
  );
  const [first, last] = [missing[0], missing.at(-1)];
  return first === undefined || last === undefined ? null : { from: first.from, through: last.through };
}
