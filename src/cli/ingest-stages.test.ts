import { expect, test } from 'vitest';
import { ingestStages } from './progress-bar.ts';

const NOTHING = {
  discovered: 0,
  parsed: 0,
  quarantined: 0,
  ignored: 0,
  index_days_left: 0,
  pending_events: 0,
  pending_reports: 0,
  pending_peers: 0,
  pending_issuers: 0,
  pending_briefs: 0,
  pending_search: 0,
};

const READ = { discovered: 74, parsed: 71, quarantined: 2, ignored: 1 };

test('each stage is shown until its work is done, with the most that was left of it', () => {
  const stageOf = ingestStages();
  const seen = [
    NOTHING,
    { discovered: 10 },
    { discovered: 74, parsed: 68, quarantined: 2, pending_reports: 8, pending_briefs: 5 },
    { ...READ, pending_reports: 20, pending_briefs: 5 },
    { ...READ, pending_reports: 5, pending_briefs: 200 },
    { ...READ, pending_briefs: 50 },
    READ,
  ].map((counts) => {
    const { stage, done, all } = stageOf({ ...NOTHING, ...counts });
    return `${stage} ${done}/${all}`;
  });
  expect(seen).toEqual([
    'Reading filings 0/0',
    'Reading filings 0/10',
    'Reading filings 70/74',
    'Comparing reports 0/20',
    'Comparing reports 15/20',
    'Settling tickers 150/200',
    'Settling tickers 200/200',
  ]);
});
