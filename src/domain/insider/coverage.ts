import { previousBusinessDay } from '../calendar.ts';
import type { CorpusState } from '../filing/index-coverage.ts';
import type { IsoDate, Ticker } from '../ids.ts';
import type { Covered } from '../wire/limitation.ts';
import { FOREIGN_INSIDERS_FILE_FROM } from './thresholds.ts';

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

/** `SPDR S&P 500 ETF TR`, `INVESCO QQQ TR`; the names of sources are cut, as in `VANGUARD TOTAL STOCK MARKET ET`. */
const FUND = /\bETFS?\b|\bET$|\b(?:SPDR|ISHARES|QQQ)\b|\bUNIT SER|\b(?:TR|TRUST) UNIT|\bEXCHANGE[ -]TRADED\b/;
/** `SANOFI-ADR`, `ALIBABA GROUP HLDG LTD SPONSOR`, `TAIWAN SEMICON MFG LTD(5COMSH)`. */
const DEPOSITARY =
  /\bAD[RS]S?\b|\bAMERICAN DEP|\b(?:UN)?SPON(?:S|SO|SOR|SORE|SORED)?\b|\bNY REG(?:ISTRY)? SHS?\b|\(\d+ ?(?:COM|ORD|REG)/;
/** Ordinary shares of a company whose form no state of the USA has. */
const ORDINARY_ABROAD = /\b(?:PLC|LTD|N ?V|S ?A|A ?G|S ?E|ASA|AB|SPA)\b.*\bORD(?:INARY)?\b/;

/** Whose insiders had no Form 4 to file. */
export type Exempt = 'fund' | 'foreign_issuer';

/**
 * Whether the insiders of a security had to file Form 4 on a day (rule 6.13); null where they had to, or
 * where the name does not tell. Directors and officers of foreign private issuers file since 2026-03-18.
 * @param name of the security as its source describes it, with the title of its class
 */
export function exemptOf(name: string, asOf: IsoDate): Exempt | null {
  const upper = name.toUpperCase().replace(/\./g, '').trim();
  if (FUND.test(upper)) return 'fund';
  const isForeign = DEPOSITARY.test(upper) || ORDINARY_ABROAD.test(upper);
  return isForeign && asOf < FOREIGN_INSIDERS_FILE_FROM ? 'foreign_issuer' : null;
}
