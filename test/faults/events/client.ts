import type { Db } from 'mongodb';
import { readEvents } from '../../../src/store/filing/events.ts';

/** A reader that follows the stream by its cursor, and notes all that it was given. */
export type Client = {
  readonly seqs: number[];
  readonly accessions: Set<string>;
  /** Reads pages until there is nothing after the cursor. */
  readonly catchUp: (db: Db) => Promise<void>;
};

export type Wish = { readonly forms: readonly string[]; readonly limit: number };

export function clientOf({ forms, limit }: Wish): Client {
  const seqs: number[] = [];
  const accessions = new Set<string>();
  let since = 0;
  return {
    seqs,
    accessions,
    async catchUp(db) {
      for (;;) {
        const { events, nextCursor } = await readEvents(db, { forms, tickers: [], since, limit });
        for (const event of events) {
          seqs.push(Number(event._id));
          accessions.add(event.accession);
        }
        if (nextCursor === since) return;
        since = nextCursor;
      }
    },
  };
}

/** Of every kind: all events and some, by single ones and by the largest page. */
export const WISHES: readonly Wish[] = [
  { forms: [], limit: 200 },
  { forms: [], limit: 7 },
  { forms: ['4/A'], limit: 1 },
  { forms: ['4'], limit: 50 },
];
