import { form4Text } from '../../scripts/sandbox/form-4-text.ts';
import { accessionOf, workday } from '../../scripts/sandbox/submission-text.ts';
import { type Report, reportText, rowXml, type TableRow } from '../../scripts/sandbox/thirteen-f-text.ts';
import { DAY_MS } from '../../src/domain/calendar.ts';
import type { QuarterEnd } from '../../src/domain/ids.ts';
import { chanceOf } from './chance.ts';
import { type Market, priceOf, quarterEndsOf, type Security, securitiesOf } from './market.ts';
import { type Position, portfoliosOf } from './portfolio.ts';

/** A full submission and the name of its file. */
export type Submission = { readonly file: string; readonly text: string };

/** A report and its rows, in no format yet. */
export type Filed = { readonly report: Report; readonly rows: readonly TableRow[] };

const PURPOSE = 'A BENCHMARK';
/** Most managers file on the last days of the 45. */
const FILING_DAYS = 45;

type Priced = { readonly securities: readonly Security[]; readonly prices: readonly Float64Array[] };

/** Every filing of the market: reports, restatements, reports of managers that stopped, Forms 4. */
export function* submissionsOf(market: Market): Generator<Submission> {
  const priced = pricedOf(market);
  for (const filed of reportsOf(market, priced)) yield submission(filed);
  for (let filer = 0; filer < market.stopped; filer += 1) yield stoppedReport(filer, market, priced);
  yield* formsOf(market, priced);
}

/** The reports of all filers that report in every quarter, with their restatements. */
export function* reportsOf(market: Market, priced = pricedOf(market)): Generator<Filed> {
  for (let filer = 0; filer < market.filers; filer += 1) yield* reportsOfFiler(filer, market, priced);
}

function pricedOf(market: Market): Priced {
  const securities = securitiesOf(market);
  const prices = Array.from({ length: market.quarters }, (_, quarter) =>
    Float64Array.from(securities, (_security, at) => priceOf(at, quarter, market)),
  );
  return { securities, prices };
}

/** Every so many rows of a late restatement differ. */
const RESTATED_EVERY = 20;
/** Days after the quarter's end: the last day of the market. */
const RESTATED_LAG = 61;

/** A restatement of the filer's last report that is not among {@link submissionsOf}. */
export function restatementOf(filer: number, market: Market): Submission {
  const quarter = market.quarters - 1;
  const [quarterEnd] = quarterEndsOf(1);
  if (quarterEnd === undefined) throw new Error('a market has quarters');
  const positions = (portfoliosOf(filer, market)[quarter] ?? []).map((position, at) =>
    at % RESTATED_EVERY === 0 ? { ...position, shares: position.shares + 200 } : position,
  );
  const filing = { filer, number: quarter + 3, quarterEnd, lagDays: RESTATED_LAG, quarter };
  const filed = reportOf(filing, positions, pricedOf(market));
  return submission(amended(filed, { number: 2, type: 'RESTATEMENT' }));
}

function amended({ report, rows }: Filed, amendment: NonNullable<Report['amendment']>): Filed {
  return { report: { ...report, amendment }, rows };
}

function* reportsOfFiler(filer: number, market: Market, priced: Priced): Generator<Filed> {
  const chance = chanceOf(market.seed, 'filing', filer);
  const quarterEnds = quarterEndsOf(market.quarters);
  for (const [quarter, positions] of portfoliosOf(filer, market).entries()) {
    const quarterEnd = quarterEnds[quarter];
    if (quarterEnd === undefined) continue;
    const lagDays = FILING_DAYS - Math.floor(chance.next() ** 2 * 30);
    const filing = { filer, number: quarter + 1, quarterEnd, lagDays, quarter };
    yield reportOf(filing, positions, priced);
    if (quarter < market.quarters - 1 || !chance.is(market.amended)) continue;
    const corrected = positions.map((position, at) =>
      at === 0 ? { ...position, shares: position.shares + 100 } : position,
    );
    const late = { ...filing, number: quarter + 2, lagDays: FILING_DAYS + 1 };
    const amendment = { number: 1, type: 'RESTATEMENT' } as const;
    yield amended(reportOf(late, corrected, priced), amendment);
  }
}

/** Quarters over which the managers that stopped reporting are spread. */
const STOPPED_QUARTERS = 48;
const STOPPED_ROWS = 5;

function stoppedReport(n: number, market: Market, priced: Priced): Submission {
  const filer = market.filers + n;
  const { below } = chanceOf(market.seed, 'stopped', n);
  const [quarterEnd] = quarterEndsOf(1, market.quarters + (n % STOPPED_QUARTERS));
  if (quarterEnd === undefined) throw new Error('a market has quarters');
  const held = new Set(Array.from({ length: STOPPED_ROWS }, () => below(market.tickers)));
  const positions = [...held].map((security) => ({
    security,
    shares: 1_000 + below(9_000),
    isOption: false,
  }));
  const filing = { filer, number: 1, quarterEnd, lagDays: FILING_DAYS, quarter: 0 };
  return submission(reportOf(filing, positions, priced));
}

type Filing = {
  readonly filer: number;
  readonly number: number;
  readonly quarterEnd: QuarterEnd;
  readonly lagDays: number;
  /** Index of the quarter whose prices are meant. */
  readonly quarter: number;
};

function reportOf(filing: Filing, positions: readonly Position[], priced: Priced): Filed {
  const { filer, number, quarterEnd, lagDays, quarter } = filing;
  const cik = String(9_700_000_000 + filer);
  const filed = workday(Date.parse(quarterEnd) + lagDays * DAY_MS);
  const report = {
    accession: accessionOf(cik, filed, number),
    filed,
    purpose: PURPOSE,
    by: { cik, name: `SYNTHETIC MANAGER ${filer} LP`, fileNumber: `028-9${String(filer).padStart(5, '0')}` },
    quarterEnd,
    rows: [],
  };
  return { report, rows: rowsOf(positions, priced, { quarter, filed }) };
}

type At = { readonly quarter: number; readonly filed: string };

/** Filings since this day state dollars, earlier ones thousands. */
const DOLLARS_SINCE = '2023-01-03';

function rowsOf(
  positions: readonly Position[],
  { securities, prices }: Priced,
  { quarter, filed }: At,
): TableRow[] {
  const unit = filed < DOLLARS_SINCE ? 1_000 : 1;
  return positions.map(({ security, shares, isOption }) => {
    const { issuer = '', cusip = '' } = securities[security] ?? {};
    const value = Math.round((shares * (prices[quarter]?.[security] ?? 1)) / unit);
    const row = { issuer, title: 'COM', cusip, value, amount: shares };
    return isOption ? { ...row, putCall: 'Put' } : row;
  });
}

function submission({ report, rows }: Filed): Submission {
  const text = reportText({ ...report, extraRows: rows.map(rowXml) });
  return { file: `${report.accession}.txt`, text };
}

/** Purchases and sales of one officer and one director of each company with a ticker. */
function* formsOf(market: Market, { securities, prices }: Priced): Generator<Submission> {
  const [last] = quarterEndsOf(1);
  const count = Math.round(market.form4PerYear * market.form4Years);
  if (last === undefined || count === 0) return;
  const end = Date.parse(last) + FILING_DAYS * DAY_MS;
  for (const [at, { ticker, cik, issuer }] of securities.entries()) {
    if (ticker === null) continue;
    const chance = chanceOf(market.seed, 'insider', at);
    for (let n = 0; n < count; n += 1) {
      const back = ((n + chance.next()) / count) * market.form4Years * 365;
      const date = workday(end - (back + 3) * DAY_MS);
      const owner = String(9_900_000_000 + at * 2 + (n % 2));
      const accession = accessionOf(owner, date, n + 1);
      const price = (prices.at(-1)?.[at] ?? 1).toFixed(2);
      const code = chance.is(0.3) ? ('P' as const) : ('S' as const);
      const trade = { date, code, shares: 100 + chance.below(5_000), price, after: 100_000 + n };
      const text = form4Text({
        accession,
        filed: date,
        purpose: PURPOSE,
        issuer: { cik, name: issuer, symbol: ticker },
        reportingOwner: { cik: owner, name: `PERSON ${at} ${n % 2}`, role: n % 2 === 0 ? 'Director' : 'CFO' },
        trades: [trade],
      });
      yield { file: `${accession}.txt`, text };
    }
  }
}
