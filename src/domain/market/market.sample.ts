import { addDays } from '../calendar.ts';
import { groupBy } from '../group.ts';
import type { Cusip, IsoDate } from '../ids.ts';
import { halfMonths } from './half-months.ts';
import type { PricedSecurity, PriceFile } from './market.ts';

type Prices = Readonly<Record<string, number>>;

/** A security under one symbol; its prices by days. */
export function priced(cusip: string, symbol: string, prices: Prices, name = symbol): PricedSecurity {
  const days = Object.keys(prices).map((day) => Number(day.replaceAll('-', '')));
  return {
    cusip: cusip as Cusip,
    symbol,
    name,
    days,
    prices: Object.values(prices),
    rows: days.map((_, at) => at + 1),
  };
}

/** A security with a row on each day but weekends and holidays. */
export function pricedDaily(cusip: string, from: string, holidays: readonly string[] = []): PricedSecurity {
  const days = Array.from({ length: 104 }, (_, at) => addDays(from as IsoDate, at)).filter(
    (day) => new Date(day).getUTCDay() % 6 !== 0 && !holidays.includes(day),
  );
  return priced(cusip, 'DAILY', Object.fromEntries(days.map((day) => [day, 40])));
}

/** The same rows in the files of their half-months. */
export function filesOf(...securities: readonly PricedSecurity[]): PriceFile[] {
  const rows = securities.flatMap((security) =>
    security.days.map((day, at) => ({
      security,
      day,
      price: security.prices[at] as number,
      file: fileOf(day),
    })),
  );
  return [...groupBy(rows, ({ file }) => file)].map(([name, own]) => ({
    name,
    sha256: name,
    securities: [...groupBy(own, ({ security }) => security)].map(([security, days]) => ({
      ...security,
      days: days.map(({ day }) => day),
      prices: days.map(({ price }) => price),
      rows: days.map((_, at) => at + 1),
    })),
  }));
}

function fileOf(day: number): string {
  const digits = String(day);
  const date = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}` as IsoDate;
  return halfMonths({ from: date, through: date })[0]?.name ?? '';
}
