import type { Accession } from '../ids.ts';
import {
  CENTS_PER_DOLLAR,
  CENTS_PER_THOUSAND,
  judgeOwnPrices,
  noPrices,
  type PriceTally,
  type ScaleDecision,
} from '../report/scale.ts';
import { medianOf } from './price.ts';
import type { FilingScale } from './verdict.ts';

/** Rows that other filers price; fewer decide only together with nearly all of the filing's value. */
export const MIN_COMPARABLE_ROWS = 3;
export const MIN_THIN_ROWS = 2;
export const THIN_AGREEMENT_PCT = 80n;
/** Decimal orders: how far the median may be from a thousand to mean one, and from one to mean one. */
export const THOUSAND_BAND = 0.15;
export const AS_DATED_BAND = 0.3;

/** A row's price beside that of the other filers, as a decimal logarithm: -3 is a thousandth of theirs. */
type Compared = { readonly log: number; readonly valueCents: bigint };

/** What is collected of one filing; logarithms and cents are with the unit of its date. */
export type ScaleSample = {
  readonly accession: Accession;
  /** Cents in one unit of the value column by filing date. */
  readonly eraCents: bigint;
  readonly logs: number[];
  /** The first rows of `logs`, as many as decide a thin filing. */
  readonly thin: Compared[];
  /** All equity of the filing. */
  totalCents: bigint;
  readonly own: PriceTally;
  /** Of positions that the report sums from this filing and others. */
  readonly summed: PriceTally;
};

export function emptySample(accession: Accession, eraCents: bigint): ScaleSample {
  return { accession, eraCents, logs: [], thin: [], totalCents: 0n, own: noPrices(), summed: noPrices() };
}

/** Counts a row that other filers price: how far it is from them, and what it is worth. */
export function addCompared(sample: ScaleSample, log: number, valueCents: bigint | number): void {
  sample.logs.push(log);
  if (sample.thin.length < MIN_COMPARABLE_ROWS) sample.thin.push({ log, valueCents: BigInt(valueCents) });
}

/** What the other filers' prices make of the filing's own, with the unit of its date. */
type PeerOpinion = 'as_dated' | 'thousandth' | 'thousandfold' | 'contradicted' | 'silent';

/**
 * The unit of a filing whose unit is not simply that of its date, or could not be confirmed; null
 * for all others (rule 4.3). Only the two units that were ever due are chosen
 * from. Without three comparable rows, or two that carry the filing, nothing is ever rescaled.
 */
export function decideScale(sample: ScaleSample): FilingScale | null {
  const { accession, eraCents } = sample;
  if (sample.own.priced === 0) return fromSums(sample);
  const peers = peerOpinion(sample);
  const decision = believes(sample, peers) ? fromPeers(peers, eraCents) : null;
  const { scaleCents, reasons } = decision ?? fromOwn(sample);
  return reasons.length === 0 ? null : { accession, scaleCents, reasons };
}

/** Of a filing without a price of its own: only sums with other filings' rows can confirm its unit. */
function fromSums({ accession, eraCents, summed }: ScaleSample): FilingScale | null {
  if (summed.priced === 0 || judgeOwnPrices(summed) === 'confirmed') return null;
  return { accession, ...unverified(eraCents) };
}

/** Peers that make the same mistake, as those of one complex do, confirm no price that cannot be. */
function believes({ own }: ScaleSample, peers: PeerOpinion): boolean {
  return peers !== 'as_dated' || judgeOwnPrices(own) !== 'contradicted';
}

/** Whether enough rows were compared that one far from the others, in the unit decided, is a slip (rule 4.4). */
export function isOnScale({ logs }: ScaleSample, scale: FilingScale | null): boolean {
  return logs.length >= MIN_COMPARABLE_ROWS && !isUnverified(scale);
}

/** Whether nothing confirms the unit and the filing's own prices contradict it. */
export function isDoubtful({ own }: ScaleSample, scale: FilingScale): boolean {
  return isUnverified(scale) && judgeOwnPrices(own) === 'contradicted';
}

function isUnverified(scale: FilingScale | null): boolean {
  return scale?.reasons.includes('value_unit_unverified') === true;
}

export function peerOpinion(sample: ScaleSample): PeerOpinion {
  const { logs, thin } = sample;
  if (logs.length >= MIN_COMPARABLE_ROWS) return opinionOf(medianOf(Float64Array.from(logs).sort()));
  if (logs.length < MIN_THIN_ROWS) return 'silent';
  const opinion = opinionOf(medianOf(Float64Array.from(thin, ({ log }) => log).sort()));
  const agreeing = thin.filter(({ log }) => opinionOf(log) === opinion);
  const agreed = agreeing.reduce((sum, { valueCents }) => sum + valueCents, 0n);
  return agreed * 100n >= sample.totalCents * THIN_AGREEMENT_PCT ? opinion : 'silent';
}

function opinionOf(log: number): Exclude<PeerOpinion, 'silent'> {
  if (Math.abs(log) < AS_DATED_BAND) return 'as_dated';
  if (Math.abs(log + 3) < THOUSAND_BAND) return 'thousandth';
  if (Math.abs(log - 3) < THOUSAND_BAND) return 'thousandfold';
  return 'contradicted';
}

function fromPeers(opinion: PeerOpinion, eraCents: bigint): ScaleDecision | null {
  switch (opinion) {
    case 'as_dated':
      return { scaleCents: eraCents, reasons: [] };
    case 'thousandth':
      return eraCents === CENTS_PER_DOLLAR
        ? { scaleCents: CENTS_PER_THOUSAND, reasons: ['value_unit_thousands_after_2023'] }
        : unverified(eraCents);
    case 'thousandfold':
      return eraCents === CENTS_PER_THOUSAND
        ? { scaleCents: CENTS_PER_DOLLAR, reasons: ['value_unit_dollars_before_2023'] }
        : unverified(eraCents);
    case 'contradicted':
      return unverified(eraCents);
    case 'silent':
      return null;
    default:
      return opinion satisfies never;
  }
}

function fromOwn({ own, eraCents }: ScaleSample): ScaleDecision {
  return judgeOwnPrices(own) === 'confirmed' ? { scaleCents: eraCents, reasons: [] } : unverified(eraCents);
}

function unverified(scaleCents: bigint): ScaleDecision {
  return { scaleCents, reasons: ['value_unit_unverified'] };
}
