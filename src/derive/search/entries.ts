import type { Db } from 'mongodb';
import { newestDueQuarter } from '../../domain/calendar.ts';
import { compare } from '../../domain/compare.ts';
import type { IsoDate } from '../../domain/ids.ts';
import {
  compareEntries,
  entriesOfFund,
  entryOfSecurity,
  type SearchEntry,
} from '../../domain/search/entry.ts';
import { withTickersThroughChanges } from '../../read/holders/security-history.ts';
import { reportId } from '../../store/filing/filings.ts';
import { findByIds } from '../../store/mongo/lists.ts';
import { isSecurityPart, partOfFund, type SearchPart } from '../../store/publish/search-index.ts';
import { fundsById, listedManagers } from '../../store/report/funds.ts';
import { reportsIn } from '../../store/report/reports.ts';
import { namedTickersByCusip } from '../../store/security/securities.ts';
import { heldOfPart } from './holders.ts';

/** What the part shows now, with the tickers of the day; the entries are in the order of the index. */
export async function searchPart(db: Db, part: string, asOf: IsoDate): Promise<SearchPart> {
  const { entries, tickers } = isSecurityPart(part)
    ? await securitiesOf(db, part, asOf)
    : { entries: await fundsOf(db, part, asOf), tickers: [] };
  return { entries: entries.toSorted(compareEntries), tickers };
}

async function fundsOf(db: Db, part: string, asOf: IsoDate): Promise<SearchEntry[]> {
  const due = newestDueQuarter(asOf);
  const ciks = (await listedManagers(db)).filter((cik) => partOfFund(cik) === part);
  const funds = [...(await fundsById(db, ciks)).values()];
  const ids = funds.map(({ _id, latestQuarterEnd }) => reportId({ cik: _id, quarterEnd: latestQuarterEnd }));
  const reports = await findByIds(reportsIn(db), ids, { cik: 1, includes: 1 });
  const includes = new Map(reports.map((report) => [report.cik, report.includes]));
  return funds.flatMap((fund) =>
    entriesOfFund({
      cik: fund._id,
      name: fund.name,
      slug: fund.slug,
      aumCents: fund.aumCents,
      latestQuarterEnd: fund.latestQuarterEnd,
      includes: includes.get(fund._id) ?? [],
      dueQuarterEnd: due,
    }),
  );
}

async function securitiesOf(db: Db, part: string, asOf: IsoDate): Promise<SearchPart> {
  const held = await heldOfPart(db, part);
  const cusips = held.map((security) => security.cusip);
  const listed = await namedTickersByCusip(db, cusips, asOf);
  const named = new Map([...listed].map(([cusip, { ticker }]) => [cusip, ticker]));
  const tickers = await withTickersThroughChanges(db, named, { cusips, asOf });
  return {
    entries: held.map((security) => {
      const own = listed.get(security.cusip);
      return entryOfSecurity(security, own?.isPresent ? own : null);
    }),
    tickers: [...tickers].toSorted(([one], [other]) => compare(one, other)),
  };
}
