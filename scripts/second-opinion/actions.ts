import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../../src/domain/canonical.ts';
import { emptyNames } from '../../src/domain/columns/room.ts';
import type { ThirteenF } from '../../src/domain/filing/filing.ts';
import { groupBy } from '../../src/domain/group.ts';
import type { QuarterEnd } from '../../src/domain/ids.ts';
import { type Market, marketOf, type PriceFile } from '../../src/domain/market/market.ts';
import { type FiledReport, filedQuarter } from '../../src/domain/peers/filed-quarter.ts';
import { peersOf } from '../../src/domain/peers/peers.ts';
import type { CorporateAction } from '../../src/domain/peers/verdict.ts';
import { nextQuarterEnd, previousQuarterEnd } from '../../src/domain/quarter.ts';
import { foldReport } from '../../src/domain/report/fold.ts';
import { readFailsFile } from '../../src/edgar/reference/fails.ts';
import { filedReport } from '../../src/store/report/filed-reports.ts';

type Dated = CorporateAction & { readonly quarterEnd: QuarterEnd };

/** What the filers of each quarter imply together, with the daily prices of the fails-to-deliver files of a folder. */
export async function corporateActionsOf(filings: readonly ThirteenF[], fails: string): Promise<Dated[]> {
  const market = marketOf(await priceFiles(fails));
  const reports = [...groupBy(filings, ({ cik, quarterEnd }) => `${cik}|${quarterEnd}`).values()].flatMap(
    (own) => foldReport(own) ?? [],
  );
  const byQuarter = groupBy(reports, ({ quarterEnd }) => quarterEnd);
  const filedIn = (quarterEnd: QuarterEnd) => (byQuarter.get(quarterEnd) ?? []).map(filedReport);
  return [...byQuarter.keys()]
    .sort()
    .flatMap((quarterEnd) =>
      actionsIn(quarterEnd, market, filedIn).map((action) => ({ ...action, quarterEnd })),
    );
}

async function priceFiles(folder: string): Promise<PriceFile[]> {
  const names = (await readdir(folder)).filter((name) => /^cnsfails\d{6}[ab]\.zip$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const bytes = readFileSync(join(folder, name));
      return { name, sha256: sha256Hex(bytes), securities: await readFailsFile(bytes) };
    }),
  );
}

function actionsIn(
  quarterEnd: QuarterEnd,
  market: Market,
  filedIn: (quarterEnd: QuarterEnd) => readonly FiledReport[],
): readonly CorporateAction[] {
  const names = emptyNames();
  const quarterOf = (day: QuarterEnd) => {
    const quarter = filedQuarter(names);
    for (const report of filedIn(day)) quarter.put(report);
    return quarter;
  };
  const [prior, current] = [quarterOf(previousQuarterEnd(quarterEnd)), quarterOf(quarterEnd)];
  const next = quarterOf(nextQuarterEnd(quarterEnd));
  return peersOf({ quarterEnd, prior, current, next, market, names }).peers.corporateActions;
}
