import type { Brief } from '../wire/brief.ts';
import { factsId } from './content-id.ts';

/** What a list of briefs says of one. */
export type BriefSummary = Pick<Brief, 'facts_id' | 'outcome'> & {
  readonly as_of: string;
  readonly stances: {
    readonly institutional: Brief['institutional']['stance'];
    readonly insiders: Brief['insiders']['stance'];
  };
};

/** Briefs of earlier versions do not say their `facts_id`. */
export function summaryOf(brief: Brief): BriefSummary {
  const { outcome, institutional, insiders } = brief;
  return {
    facts_id: factsId(brief),
    as_of: insiders.window_end,
    outcome,
    stances: { institutional: institutional.stance, insiders: insiders.stance },
  };
}
