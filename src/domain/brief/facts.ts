import type { Coverage, Outcome } from '../wire/brief.ts';
import type { HolderFacts } from './holder-facts.ts';
import type { BriefInput } from './input.ts';
import type { InsiderLeg } from './insider-leg.ts';

/** Both legs before anything is cut off for display. */
export type Legs = { readonly holders: HolderFacts; readonly insiders: InsiderLeg };

/** Coverage before its limitations, which are written from it. */
export type LegCoverage = Omit<Coverage, 'limitations' | 'limitation_codes'>;

/** What the parts of a brief are written from. */
export type BriefFacts = Legs & {
  readonly input: BriefInput;
  readonly coverage: LegCoverage;
  readonly outcome: Outcome;
};
