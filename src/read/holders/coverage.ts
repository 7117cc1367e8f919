import type { Db } from 'mongodb';
import { earlierCusip, LATER_CUSIP, NO_REPORTS } from '../../domain/history/quarter-line.ts';
import {
  type Cik,
  type Cusip,
  type IsoDate,
  issuerOf,
  type QuarterEnd,
  type Ticker,
} from '../../domain/ids.ts';
import { previousQuarterEnd } from '../../domain/quarter.ts';
import { firstSeen } from '../../domain/security/mapping.ts';
import type { Covered } from '../../domain/wire/limitation.ts';
import { heldOfIssuer } from '../../store/report/holdings.ts';
import { hasReports } from '../../store/report/reports.ts';
import { mappingsOf, namedTickersByCusip } from '../../store/security/securities.ts';
import { shownIn } from './shown.ts';

type Asked = {
  readonly ticker: Ticker;
  readonly cusip: Cusip;
  readonly asOf: IsoDate;
  /** As {@link firstDayOf} answers; left out where one quarter is asked for. */
  readonly firstDay?: () => Promise<IsoDate | null>;
  /** Null: none was ever reported. */
  readonly quarterEnd: QuarterEnd | null;
  /** Null: all managers. */
  readonly cik?: Cik | null;
};

/** A family of funds shares its digits: of so many CUSIPs none is likely to be this one. */
const MAX_UNNAMED = 20;

/**
 * What it means that no report of a quarter has a security (rule 7.3): none is stored; or managers held its issuer
 * by a CUSIP that no source names, which may be the one that the security had then; or no source names its own
 * CUSIP before the quarter; or nobody held it.
 */
export async function coverageOfEmpty(db: Db, asked: Asked): Promise<Covered> {
  const { quarterEnd } = asked;
  if (quarterEnd === null || !(await hasReports(db, quarterEnd))) {
    return { coverage_status: 'not_covered', limitations: [NO_REPORTS] };
  }
  const { holders, cusips } = await heldByOtherCusip(db, { ...asked, quarterEnd });
  if (holders > 0) return { coverage_status: 'partial', limitations: [earlierCusip(holders, cusips)] };
  return (await isSeenBefore(db, asked, quarterEnd))
    ? { coverage_status: 'covered', limitations: [] }
    : { coverage_status: 'partial', limitations: [LATER_CUSIP] };
}

/** Holders report a CUSIP that is new in a quarter by the one before it, too. */
async function isSeenBefore(db: Db, asked: Asked, quarterEnd: QuarterEnd): Promise<boolean> {
  const day = await (asked.firstDay?.() ?? firstDayOf(db, asked));
  return day !== null && day <= previousQuarterEnd(quarterEnd);
}

/** The first day on which a source names the CUSIP by the ticker; null where none does. */
export async function firstDayOf(
  db: Db,
  { ticker, cusip }: Pick<Asked, 'ticker' | 'cusip'>,
): Promise<IsoDate | null> {
  const own = (await mappingsOf(db, [ticker])).filter((mapping) => mapping.cusip === cusip);
  return own.flatMap((mapping) => firstSeen(mapping) ?? []).sort()[0] ?? null;
}

async function heldByOtherCusip(
  db: Db,
  { ticker, cusip, asOf, quarterEnd, cik = null }: Asked & { readonly quarterEnd: QuarterEnd },
) {
  const others = (await heldOfIssuer(db, issuerOf(cusip))).filter((other) => other !== cusip);
  const named = await namedTickersByCusip(db, others, asOf);
  const unnamed = others.filter((other) => (named.get(other)?.ticker ?? ticker) === ticker);
  if (unnamed.length > MAX_UNNAMED) return { holders: 0, cusips: [] };
  const held = (await shownIn(db, unnamed, quarterEnd)).filter(
    ({ position }) => position.amount > 0n && (cik === null || position.cik === cik),
  );
  return {
    holders: new Set(held.map(({ position }) => position.cik)).size,
    cusips: [...new Set(held.map(({ position }) => position.cusip))].sort(),
  };
}
