import type { Binary, Db } from 'mongodb';
import type { HolderFacts } from '../../domain/brief/holder-facts.ts';
import type { EvidenceSource } from '../../domain/brief/input.ts';
import type { Ticker } from '../../domain/ids.ts';
import { pack, unpack } from '../mongo/pack.ts';
import { UNJOURNALED } from '../mongo/write.ts';
import type { EvidencePages } from './evidence.ts';

/**
 * What a ticker's brief says of its holders, until one of their positions changes (rule 13.9).
 */
type HolderFactsDoc = {
  _id: Ticker;
  /** Of everything that the facts depend on: they count for an equal basis alone. */
  basis: string;
  /** {@link KnownHolders}, its evidence apart. */
  known: Binary;
  evidence: EvidencePages;
};

export type KnownHolders = {
  readonly facts: HolderFacts;
  /** The filings behind the changes on display, as they were read then. */
  readonly displayed: readonly EvidenceSource[];
  /** All 13F filings behind the brief. */
  readonly evidence: EvidencePages;
};

const factsIn = (db: Db) => db.collection<HolderFactsDoc>('holder_facts');

export function findHolderFacts(db: Db, ticker: Ticker): Promise<HolderFactsDoc | null> {
  return factsIn(db).findOne({ _id: ticker });
}

export function knownHolders({ known, evidence }: HolderFactsDoc): KnownHolders {
  return { ...unpack<Omit<KnownHolders, 'evidence'>>(known), evidence };
}

type Read = KnownHolders & Pick<HolderFactsDoc, 'basis'>;

/**
 * Not journaled by itself: the journal is in order, so facts that survive a crash were read under a basis
 * that survived it. Facts of an older basis may replace newer ones, and then count for nothing.
 */
export async function saveHolderFacts(db: Db, ticker: Ticker, read: Read): Promise<void> {
  const { facts, displayed, ...rest } = read;
  const doc = { ...rest, known: pack({ facts, displayed }) };
  await factsIn(db).replaceOne({ _id: ticker }, doc, { upsert: true, writeConcern: UNJOURNALED });
}
