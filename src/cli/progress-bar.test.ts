import { expect, onTestFinished, test, vi } from 'vitest';
import { ingestBar, ingestStages, progressBar } from './progress-bar.ts';

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

/** What is written to stderr from now on, which is no terminal. */
function saidToLog(): () => string {
  let said = '';
  const { isTTY } = process.stderr;
  process.stderr.isTTY = false;
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += text;
    return true;
  });
  onTestFinished(() => {
    spy.mockRestore();
    process.stderr.isTTY = isTTY;
  });
  return () => said;
}

test('without a terminal there are plain lines: no bar, no empty line', () => {
  const said = saidToLog();
  const bar = progressBar('Fetching |{bar}| {value}/{total} filings');
  bar.start(20, 0);
  bar.update(20);
  bar.stop();
  expect(said()).toBe('Fetching 0/20 filings\nFetching 20/20 filings\n');
});

test('a log has one line for each stage of an ingest, without numbers before anything is counted', () => {
  const said = saidToLog();
  const bar = ingestBar();
  const read = { ...NOTHING, discovered: 74, parsed: 74 };
  const seen = [NOTHING, { ...NOTHING, discovered: 74 }, { ...read, pending_reports: 8 }, read];
  for (const counts of seen) bar.show(counts);
  bar.stop();
  expect(said()).toBe('Reading filings\nComparing reports 0 of 8\nBuilding briefs and search\n');
});

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
    'Building briefs and search 150/200',
    'Building briefs and search 200/200',
  ]);
});
