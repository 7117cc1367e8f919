import { addDays } from '../calendar.ts';
import { compare } from '../compare.ts';
import { groupBy } from '../group.ts';
import type { Cusip, IsoDate } from '../ids.ts';
import { halfMonths } from './half-months.ts';
import { FIRST_DAYS, LEAST_FIRST_PRICE, UNLISTED_DAYS } from './thresholds.ts';

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
  let known: readonly Succession[] | null = null;
  let calendar: readonly IsoDate[] | null = null;
  const successions = (): readonly Succession[] => {
    known ??= [...groupBy(stated, ({ symbol }) => symbol).values()].flatMap(successionsOf);
    return known;
  };
  return {
    /** Of one security, in the order of the days. */
    pricesOf: (cusip: Cusip): readonly PriceDay[] => daysIn(byCusip.get(cusip) ?? []),
    cusips: (): Iterable<Cusip> => byCusip.keys(),
    /** Dollars a share on the last day with a price up to this one; null where that was more than a week before. */
    priceOn: (cusip: Cusip, day: IsoDate): number | null => {
      const last = daysIn(byCusip.get(cusip) ?? []).findLast((one) => one.day <= day);
      return last === undefined || last.day < addDays(day, -PRICE_DAYS) ? null : last.price;
    },
    successions,
    /** The day on which a security was new on the market; null where that is not certain. */
    listedOn: (cusip: Cusip): IsoDate | null => {
      const days = daysIn(byCusip.get(cusip) ?? []);
      const isOld = successions().some(({ to }) => to === cusip);
      if (days.length === 0 || isOld) return null;
      calendar ??= [...new Set(stated.flatMap((one) => one.days))].sort((a, b) => a - b).map(isoDate);
      return newSince(days, calendar);
    },
  };
}

/**
 * Rows exist only for days with fails. What is new has them on its first days, one after the other; what lacked them
 * for weeks has one now and then. A half-month without its file may hide the first days.
 * @param calendar the days of the files
 */
function newSince(days: readonly PriceDay[], calendar: readonly IsoDate[]): IsoDate | null {
  const { day, price } = firstOf(days);
  const at = calendar.indexOf(day);
  const [first, own] = [calendar.slice(at, at + FIRST_DAYS), new Set(days.map((one) => one.day))];
  const isNew = at >= UNLISTED_DAYS && first.length === FIRST_DAYS && first.every((one) => own.has(one));
  const deciding = calendar.slice(at - UNLISTED_DAYS, at + FIRST_DAYS);
  return isNew && price >= LEAST_FIRST_PRICE && hasEveryFile(deciding) ? day : null;
}

/** Whether no half-month between the days lacks its file. */
function hasEveryFile(days: readonly IsoDate[]): boolean {
  const [from, through] = [days[0], days.at(-1)];
  if (from === undefined || through === undefined) return false;
  return halfMonths({ from, through }).every((half) =>
    days.some((day) => half.from <= day && day <= half.through),
  );
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
