import { ENDPOINTS } from '../../src/api/endpoints/index.ts';
import { FUND } from './corpus.ts';

/** One good call for each endpoint, by its name. */
export function goodCalls({ briefId, accession }: { briefId: string; accession: string }) {
  const calls: Readonly<Record<string, string>> = {
    'fund.list': '/v1/funds',
    'fund.get': `/v1/funds/${FUND}`,
    'fund.holdings': `/v1/funds/${FUND}/holdings`,
    search: '/v1/search?q=berkshire',
    'stock.owners': '/v1/stocks/AAPL',
    capital_change_brief: '/v1/stocks/AAPL/capital-change-brief',
    'brief.get': `/v1/briefs/${briefId}`,
    'brief.evidence': `/v1/briefs/${briefId}/evidence`,
    'stock.briefs': '/v1/stocks/AAPL/briefs',
    'stock.history': '/v1/stocks/AAPL/history',
    'copy.leaderboard': '/v1/copy/leaderboard',
    'events.latest': '/v1/events',
    'insider.transactions': '/v1/insider/transactions',
    'filing.get': `/v1/filing/${accession}`,
    'watchlist.poll': '/v1/watchlist/poll',
    'credits.balance': '/v1/credits',
  };
  return ENDPOINTS.map((endpoint) => ({ ...endpoint, good: calls[endpoint.name] ?? '' }));
}
