/** Synthetic funds and securities, with names made from the words of real names. */
import { readFileSync } from 'node:fs';
import type { Cik, Cusip, QuarterEnd, Ticker } from '../src/domain/ids.ts';
import { entriesOfFund, entryOfSecurity, type SearchEntry } from '../src/domain/search/entry.ts';
import { isWeak, wordsOf } from '../src/domain/search/text.ts';
import { partOfFund, partOfSecurity } from '../src/store/publish/search-index.ts';

const TITLES = new URL('../demo/corpus/company_tickers.json', import.meta.url);
const QUARTER = '2018-09-30' as QuarterEnd;
const FORMS = ['INC', 'CORP', 'LLC', 'LP', 'LTD', 'PLC', 'HOLDINGS INC', 'CAPITAL MANAGEMENT LLC', 'TRUST'];
/** About what EDGAR has: managers that file, and securities that they hold. */
const USUAL = { funds: 10_000, securities: 20_000 };

export type SeededIndex = {
  readonly parts: ReadonlyMap<string, SearchEntry[]>;
  readonly entries: readonly SearchEntry[];
  readonly words: readonly string[];
};

export type Chance = (below: number) => number;

/** The same numbers in every run. */
export function chance(seed: number): Chance {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export function seedIndex({ funds, securities } = USUAL): SeededIndex {
  const listed = Object.values(JSON.parse(readFileSync(TITLES, 'utf8')) as Record<string, { title: string }>);
  const words = listed
    .flatMap(({ title }) => wordsOf(title))
    .filter((word) => word.length > 1 && !isWeak(word));
  const roll = chance(1);
  const pick = <T>(list: readonly T[]): T => list[roll(list.length)] as T;
  const name = (): string =>
    [pick(words), pick(words), ...(roll(3) === 0 ? [pick(words)] : []), pick(FORMS)].join(' ').toUpperCase();
  const parts = new Map<string, SearchEntry[]>();
  const add = (part: string, entries: readonly SearchEntry[]): void => {
    parts.set(part, [...(parts.get(part) ?? []), ...entries]);
  };
  for (let n = 0; n < funds; n += 1) {
    const cik = String(1_000_000 + n).padStart(10, '0') as Cik;
    const aumCents = BigInt(Math.round(10 ** (9 + roll(5_000) / 1_000)));
    const manager = { name: name(), cik: null, form13fFileNumber: null, sequence: 1 };
    const includes = roll(4) === 0 ? [manager] : [];
    add(
      partOfFund(cik),
      entriesOfFund({ cik, name: name(), slug: cik, aumCents, latestQuarterEnd: QUARTER, includes }),
    );
  }
  for (let n = 0; n < securities; n += 1) {
    const cusip = `${String(100_000 + n)}${String(n % 1_000).padStart(3, '0')}` as Cusip;
    const issuers = [name(), ...(roll(2) === 0 ? [name()] : [])];
    const holders = 1 + Math.floor(5_000 / (1 + roll(1_000)));
    const listed = n % 2 === 0 ? { ticker: tickerOf(n) as Ticker, name: issuers[0] ?? '' } : null;
    add(partOfSecurity(cusip), [
      entryOfSecurity({ cusip, latestQuarterEnd: QUARTER, holders, issuers }, listed),
    ]);
  }
  return { parts, entries: [...parts.values()].flat(), words };
}

function tickerOf(n: number): string {
  const letters = [n % 26, Math.floor(n / 26) % 26, Math.floor(n / 676) % 26, Math.floor(n / 17_576) % 26];
  return letters.map((at) => String.fromCharCode(65 + at)).join('');
}
