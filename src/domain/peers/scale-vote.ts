import type { Accession } from '../ids.ts';
import {
  CENTS_PER_DOLLAR,
  CENTS_PER_THOUSAND,
  judgeOwnPrices,
  noPrices,
  type ScaleDecision,
} from '../report/scale.ts';
import { medianOf } from './split.ts';
import {
  AS_DATED_BAND,
  MIN_COMPARABLE_ROWS,
  MIN_THIN_ROWS,
  ODD_SHARE,
  PLAIN_SHARE,
  THIN_AGREEMENT_PCT,
  THOUSAND_BAND,
} from './thresholds.ts';
import type { FilingScale } from './verdict.ts';

/** A row's price relative to that of the other filers, as a decimal logarithm: -3 is a thousandth of theirs. */
type Compared = { readonly log: number; readonly valueCents: bigint };

/** The prices of one filing by themselves, in the scale of its date. */
export type FilingPrices = ReturnType<typeof filingPrices>;

/** @param datedCents the scale by filing date: cents in one unit of the value column */
export function filingPrices(accession: Accession, datedCents: bigint) {
  return {
    accession,
    datedCents,
    /** All equity of the filing. */
    totalCents: 0n,
    own: noPrices(),
    /** Of positions that the report sums from this filing and others. */
    summed: noPrices(),
  };
}

/** The same, with what is collected of its rows that other filers price; logarithms are in that scale too. */
export type ScaleSample = ReturnType<typeof emptySample>;

export function emptySample(prices: FilingPrices) {
  return {
    ...prices,
    logs: [] as number[],
    /** The first rows of `logs`: all of them, if the filing is thin. */
    thin: [] as Compared[],
  };
}

/** What the other filers' prices say about the filing's own in the scale of its date. */
export type PeerOpinion = 'as_dated' | 'thousandth' | 'thousandfold' | 'contradicted' | 'silent';

/**
 * The scale of a filing, where it is not simply that of its date or could not be confirmed; null for
 * all other filings (rule 4.3). Only the two scales that were ever due are chosen from. Without
 * three comparable rows, two that carry the filing, or one beside impossible prices of its own, nothing is
 * ever rescaled.
 */
export function decideScale(sample: ScaleSample): FilingScale | null {
  const { accession } = sample;
  if (sample.own.priced === 0) return fromSums(sample);
  const { scaleCents, reasons } = fromBoth(peerOpinion(sample), sample) ?? fromOwn(sample);
  return reasons.length === 0 ? null : { accession, scaleCents, reasons };
}

/** Whether no row is compared, or most are near: as long as they are, nothing else can be decided. */
export function isPlain({ logs }: ScaleSample): boolean {
  const near = logs.filter((log) => Math.abs(log) < AS_DATED_BAND).length;
  return logs.length === 0 || (logs.length >= MIN_COMPARABLE_ROWS && near * 2 > logs.length);
}

/** For a filing without a price of its own: only sums with other filings' rows can confirm its scale. */
function fromSums({ accession, datedCents, summed }: FilingPrices): FilingScale | null {
  if (summed.priced === 0 || judgeOwnPrices(summed) === 'confirmed') return null;
  return { accession, ...unverified(datedCents) };
}

/**
 * Peers may share a mistake, so they never confirm impossible prices, nor make possible ones impossible: where nearly
 * all of the filing's own would be, they are not believed, and where half would be, nobody is. Null: own prices decide.
 */
function fromBoth(peers: PeerOpinion, { own, datedCents }: FilingPrices): ScaleDecision | null {
  const judged = judgeOwnPrices(own);
  if (peers === 'as_dated' && judged === 'contradicted') return null;
  const isRescaled = peers === 'thousandth' || peers === 'thousandfold';
  if (!isRescaled || judged !== 'confirmed') return fromPeers(peers, datedCents);
  const isPlain = own.otherwise >= own.priced * PLAIN_SHARE && own.low + own.high <= own.priced * ODD_SHARE;
  return isPlain ? null : unverified(datedCents);
}

/** Whether enough rows were compared to call one that is far from the others a slip (rule 4.4). */
export function isOnScale(compared: number, scale: FilingScale | null): boolean {
  return compared >= MIN_COMPARABLE_ROWS && !isUnverified(scale);
}

/** Whether nothing confirms the scale and the filing's own prices contradict it. */
export function isDoubtful({ own }: FilingPrices, scale: FilingScale): boolean {
  return isUnverified(scale) && judgeOwnPrices(own) === 'contradicted';
}

function isUnverified(scale: FilingScale | null): boolean {
  return scale?.reasons.includes('value_unit_unverified') === true;
}

export function peerOpinion(sample: ScaleSample): PeerOpinion {
  const { logs, thin } = sample;
  if (logs.length >= MIN_COMPARABLE_ROWS) return opinionOf(medianOf(Float64Array.from(logs).sort()));
  const [only, ...others] = new Set(thin.map(({ log }) => opinionOf(log)));
  if (only !== undefined && others.length === 0 && isOwnToo(only, sample)) return only;
  if (logs.length < MIN_THIN_ROWS) return 'silent';
  const opinion = opinionOf(medianOf(Float64Array.from(thin, ({ log }) => log).sort()));
  const agreeing = thin.filter(({ log }) => opinionOf(log) === opinion);
  const agreed = agreeing.reduce((sum, { valueCents }) => sum + valueCents, 0n);
  return agreed * 100n >= sample.totalCents * THIN_AGREEMENT_PCT ? opinion : 'silent';
}

/** Whether the filing's own prices are impossible in its scale, on the side that the peers say. */
function isOwnToo(opinion: PeerOpinion, { own }: ScaleSample): boolean {
  if (judgeOwnPrices(own) !== 'contradicted') return false;
  return own.high > own.low ? opinion === 'thousandfold' : opinion === 'thousandth';
}

function opinionOf(log: number): Exclude<PeerOpinion, 'silent'> {
  if (Math.abs(log) < AS_DATED_BAND) return 'as_dated';
  if (Math.abs(log + 3) < THOUSAND_BAND) return 'thousandth';
  if (Math.abs(log - 3) < THOUSAND_BAND) return 'thousandfold';
  return 'contradicted';
}

/** The other scale that was ever due, by what the peers say: of which date, and what it is then. */
const RESCALED = {
  thousandth: {
    due: CENTS_PER_DOLLAR,
    decision: { scaleCents: CENTS_PER_THOUSAND, reasons: ['value_unit_thousands_after_2023'] },
  },
  thousandfold: {
    due: CENTS_PER_THOUSAND,
    decision: { scaleCents: CENTS_PER_DOLLAR, reasons: ['value_unit_dollars_before_2023'] },
  },
} as const;

function fromPeers(opinion: PeerOpinion, datedCents: bigint): ScaleDecision | null {
  if (opinion === 'silent') return null;
  if (opinion === 'as_dated') return { scaleCents: datedCents, reasons: [] };
  const other = opinion === 'contradicted' ? null : RESCALED[opinion];
  return other?.due === datedCents ? other.decision : unverified(datedCents);
}

function fromOwn({ own, datedCents }: FilingPrices): ScaleDecision {
  return judgeOwnPrices(own) === 'confirmed'
    ? { scaleCents: datedCents, reasons: [] }
    : unverified(datedCents);
}

function unverified(scaleCents: bigint): ScaleDecision {
  return { scaleCents, reasons: ['value_unit_unverified'] };
}
