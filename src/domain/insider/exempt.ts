import type { IsoDate } from '../ids.ts';
import { FOREIGN_INSIDERS_FILE_FROM } from './thresholds.ts';

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
