import { z } from 'zod';
import { curatedManagerOf } from '../../domain/filing/manager.ts';
import { coverageOfDays } from '../../domain/insider/coverage.ts';
import { quarterLabel } from '../../domain/quarter.ts';
import { coveredShape } from '../../domain/wire/limitation.ts';
import { publishedCorpus } from '../../store/publish/corpus.ts';
import { type FundDoc, listFunds } from '../../store/report/funds.ts';
import { defineEndpoint } from '../endpoint/endpoint.ts';
import { limitParam, linkHeader, pageParam, paginationOf, paginationShape } from '../endpoint/page.ts';

const fundItem = z.strictObject({
  cik: z.string(),
  name: z.string(),
  slug: z.string(),
  aum_cents: z.string(),
  latest_quarter: z.string(),
  holdings_count: z.int().describe('Rows of `/funds/{cik}/holdings` but EXITED ones, those in doubt too'),
  manager: z.string().nullable(),
});

export const funds = defineEndpoint({
  name: 'fund.list',
  path: '/funds',
  title: 'Funds',
  summary: '13F filers by assets under management, largest first',
  description:
    'AUM is the value of the equity positions of the latest effective report, without options, bonds and what an amendment adds in doubt.',
  details:
    'Ordered by `aum_cents` descending, ties by `cik` ascending. A page after the last one is empty, with correct totals.',
  example: { limit: 2 },
  digest: {
    facts: [],
    rows: { at: '', columns: ['name', 'cik', 'aum_cents', 'latest_quarter', 'holdings_count'] },
  },
  credits: 1,
  csv: true,
  params: {},
  query: { page: pageParam, limit: limitParam(50, 100) },
  output: z.strictObject({ data: z.array(fundItem), pagination: paginationShape, ...coveredShape }),
  async handler({ db, siteUrl }, { page, limit }) {
    const found = await listFunds(db, { skip: (page - 1) * limit, limit });
    const pagination = paginationOf(page, limit, found.total);
    const covered = coverageOfDays(await publishedCorpus(db), { listed: found.total });
    return {
      kind: 'body',
      body: { data: found.funds.map(itemOf), pagination, ...covered },
      headers: linkHeader(`${siteUrl}/v1/funds`, {}, pagination),
    };
  },
});

function itemOf(fund: FundDoc): z.infer<typeof fundItem> {
  return {
    cik: fund._id,
    name: fund.name,
    slug: fund.slug,
    aum_cents: fund.aumCents.toString(),
    latest_quarter: quarterLabel(fund.latestQuarterEnd),
    holdings_count: Number(fund.holdingsCount),
    manager: fund.manager ?? curatedManagerOf(fund._id)?.name ?? null,
  };
}
