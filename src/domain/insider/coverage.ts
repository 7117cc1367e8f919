import { previousBusinessDay } from '../calendar.ts';
import type { CorpusState } from '../filing/index-coverage.ts';
import type { IsoDate, Ticker } from '../ids.ts';
import type { Covered } from '../wire/limitation.ts';
import { FOREIGN_INSIDERS_FILE_FROM } from './thresholds.ts';

type Published = { readonly corpus: { readonly asOf: IsoDate; readonly state: CorpusState } };
/** `listed`: how many rows of these days were found. */
type Days = Partial<Record<'since' | 'until', IsoDate | undefined>> & { readonly listed: number };

/**
 * Whether the filings of the days asked for were read (rule 11.8). Without a first day every day is asked for.
 * @param published null before the first publication
 */
export function coverageOfDays(published: Published | null, { since, until, listed }: Days): Covered {
  // Filings may be stored of days that were not read whole.
  const missed = listed > 0 ? 'partial' : 'not_covered';
  const { asOf, state } = published?.corpus ?? {};
  const [from, to] = [state?.coverageStart ?? null, state?.indexedThrough ?? null];
  if (asOf === undefined || from === null || to === null) {
    return { coverage_status: missed, limitations: ['No day is read without a gap.'] };
  }
  const last = until === undefined || until > asOf ? asOf : until;
  const words = `Filings are read without a gap from ${from} to ${to}. Others may be missing.`;
  // A trade is filed on its day or later: what was read up to a day says nothing of later ones.
  const isOutside = last < from || (since !== undefined && since > to);
  const isWhole = since !== undefined && since >= from && to >= previousBusinessDay(last);
  if (isWhole && !isOutside) return { coverage_status: 'covered', limitations: [] };
  return { coverage_status: isOutside ? missed : 'partial', limitations: [words] };
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
