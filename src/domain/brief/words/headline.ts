import type { BriefFacts } from '../facts.ts';
import { insiderWords } from './insider-words.ts';

/** What moved and how much, in sentences that say no more than the numbers do (rule 8.8). */
export function headlineOf({ input, outcome, holders, insiders }: BriefFacts): string {
  const { requestedTicker: ticker, resolution } = input;
  if (outcome === 'refused') return `${ticker}: More than one issuer uses this ticker, so no brief is given.`;
  if (resolution.kind !== 'resolved') return `${ticker}: No security with this ticker is known.`;
  const managers = resolution.cusip === null ? '13F positions cannot be matched' : holders.headline;
  return `${resolution.ticker}: ${managers}. ${insiderWords(insiders)}.`;
}
