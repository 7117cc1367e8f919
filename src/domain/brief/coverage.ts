import { newestDueQuarter, previousBusinessDay } from '../calendar.ts';
import type { CorpusState } from '../filing/index-coverage.ts';
import { MAX_INSTITUTIONAL_CHANGES, managersIn } from '../holders/institutional.ts';
import type { IsoDate } from '../ids.ts';
import type { Form4Status, ThirteenFStatus } from '../wire/brief.ts';
import type { LegCoverage, Legs } from './facts.ts';
import type { BriefInput } from './input.ts';
import { type Window, windowOf } from './insider-leg.ts';

/** Coverage of the 13F leg (rule 8.4). */
export function thirteenFStatus(input: BriefInput): ThirteenFStatus {
  const { corpus, resolution, asOf } = input;
  if (resolution.kind !== 'resolved' || resolution.cusip === null) return 'unavailable';
  if (corpus.latestReportedQuarterEnd === null) return 'unavailable';
  if (corpus.latestReportedQuarterEnd < newestDueQuarter(asOf)) return 'stale';
  const isBehind = corpus.filingWindow === 'open' && input.holders.late.length > 0;
  const isPartial = !corpus.sourceComplete || corpus.quarantined.thirteenF > 0 || isBehind;
  return isPartial ? 'partial' : 'available';
}

/** Coverage of the Form 4 leg (rule 8.4). */
export function form4Status(input: Pick<BriefInput, 'corpus' | 'resolution'>, window: Window): Form4Status {
  const { corpus, resolution } = input;
  if (resolution.kind !== 'resolved' || resolution.issuerCik === null) return 'unavailable';
  if (corpus.coverageStart === null) return 'unavailable';
  const isComplete = corpus.sourceComplete && corpus.quarantined.form4 === 0 && coversWindow(corpus, window);
  return isComplete ? 'complete' : 'partial';
}

/** Whether every day of the window was reconciled. */
export function coversWindow({ coverageStart, indexedThrough }: CorpusState, window: Window): boolean {
  if (coverageStart === null || indexedThrough === null) return false;
  return coverageStart <= window.start && indexedThrough >= previousBusinessDay(window.end);
}

/** Days before the window are in no brief, so a backfill of years changes none (rule 8.4). */
function coverageStartIn({ coverageStart }: CorpusState, { start }: Window): IsoDate | null {
  return coverageStart === null || coverageStart > start ? coverageStart : start;
}

/** The state of the corpus as far as any brief of the day says it: equal states give equal briefs. */
export function saidOfCorpus(asOf: IsoDate, state: CorpusState): CorpusState {
  return { ...state, coverageStart: coverageStartIn(state, windowOf(asOf)) };
}

/** The two coverage objects of rule 8.4, without the limitations. */
export function coverageOf(input: BriefInput, { holders, insiders }: Legs): LegCoverage {
  const { corpus } = input;
  const { leg, read, changed, late, unread } = holders;
  return {
    thirteen_f: {
      corpus: corpus.corpus,
      status: thirteenFStatus(input),
      latest_quarter_filing_window: corpus.filingWindow,
      latest_reported_quarter_end: corpus.latestReportedQuarterEnd,
      managers_with_comparable_change: changed,
      baseline_observations: leg.counts.baseline_only,
      observations_scanned: read,
      observations_displayed: leg.changes.length,
      observations_total: read,
      periods_observed: leg.periods_observed,
      stale_manager_observations: managersIn(late),
      unread_filings: unread.map(({ accession }) => accession),
      truncated: changed > MAX_INSTITUTIONAL_CHANGES,
    },
    form4: {
      status: form4Status(input, insiders.window),
      coverage_start: coverageStartIn(corpus, insiders.window),
      indexed_through: corpus.indexedThrough,
      window_start: insiders.window.start,
      window_end: insiders.window.end,
      unread_filings: [...insiders.unread],
      truncated: insiders.trades.length > insiders.shown.length,
    },
  };
}
