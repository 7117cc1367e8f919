import { previousBusinessDay } from '../calendar.ts';
import type { CorpusState } from '../filing/corpus-state.ts';
import type { IsoDate, Ticker } from '../ids.ts';
import type { Covered } from '../wire/limitation.ts';

type Read = Pick<CorpusState, 'coverageStart' | 'indexedThrough'> & { readonly asOf: IsoDate };
type Days = { readonly since: IsoDate | null; readonly until: IsoDate | null };

/** Whether the filings of the days asked for were read (rule 11.8). Without a first day every day is asked for. */
export function coverageOfDays({ coverageStart, indexedThrough, asOf }: Read, days: Days): Covered {
  const since = days.since ?? null;
  const until = days.until === null || days.until > asOf ? asOf : days.until;
  const [from, to] = [coverageStart, indexedThrough];
  if (from === null || to === null) {
    return { coverage_status: 'not_covered', limitations: ['No day is read without a gap.'] };
  }
  const words = `Filings are read without a gap from ${from} to ${to}. Others may be missing.`;
  // A trade is filed on its day or later: what was read up to a day says nothing of later ones.
  if (until < from || (since !== null && since > to)) {
    return { coverage_status: 'not_covered', limitations: [words] };
  }
  const isWhole = since !== null && since >= from && to >= previousBusinessDay(until);
  return isWhole
    ? { coverage_status: 'covered', limitations: [] }
    : { coverage_status: 'partial', limitations: [words] };
}

/** Why no trade of a ticker can be listed. */
export function noIssuer(ticker: Ticker): string {
  return `No issuer is known for ${ticker}, so its insiders' trades are not known.`;
}
