import type { Endpoint } from '../endpoint/endpoint.ts';
import { brief, briefEvidence, capitalChangeBrief } from './brief.ts';
import { copyLeaderboard } from './copy-leaderboard.ts';
import { credits } from './credits.ts';
import { events } from './events.ts';
import { filing } from './filing.ts';
import { fund } from './fund.ts';
import { funds } from './funds.ts';
import { holdings } from './holdings.ts';
import { insiderTransactions } from './insider-transactions.ts';
import { search } from './search.ts';
import { stock } from './stock.ts';
import { stockBriefs } from './stock-briefs.ts';
import { stockHistory } from './stock-history.ts';
import { watchlistPoll } from './watchlist-poll.ts';

/** Every endpoint, in the order of the documentation. */
export const ENDPOINTS: readonly Endpoint[] = [
  funds,
  fund,
  holdings,
  search,
  stock,
  stockHistory,
  capitalChangeBrief,
  stockBriefs,
  brief,
  briefEvidence,
  copyLeaderboard,
  events,
  insiderTransactions,
  filing,
  watchlistPoll,
  credits,
];
