import type { Consensus, ReportVerdict } from './consensus.ts';
import type { FiledSecurity } from './filed-security.ts';
import type { Cik } from './ids.ts';

/**
 * Collects what the filers of a quarter say together, one security at a time, so that a quarter of
 * two million positions never stands in memory: what is kept is a number or two for each position
 * of the quarter and the holders of the few securities that most of them left or entered.
 */
export type ConsensusBuilder = {
  /** Once for each CUSIP held at any of the quarter ends, in any order. */
  readonly add: (security: FiledSecurity) => void;
  /** After the last security. The same positions in any order give the same answer. */
  readonly finish: () => ConsensusResult;
};

export type ConsensusResult = {
  readonly consensus: Consensus;
  /** Of reports of the quarter itself, by manager, in the order of the CIKs; empty ones are left out. */
  readonly verdicts: ReadonlyMap<Cik, ReportVerdict>;
};
