import type { Db } from 'mongodb';
import type { Lane } from '../../domain/filing/lane.ts';
import type { Accession } from '../../domain/ids.ts';

/**
 * What has to be computed again, with a version that every invalidation raises (rule 13.3).
 * Invalidations of one key coalesce, so a storm of filings costs one computation. A result is
 * published under the version that was read before its inputs, so an older one never replaces it.
 */
export type InvalidationDoc = {
  /** `<kind>|<key>` */
  _id: string;
  kind: InvalidationKind;
  key: string;
  version: number;
  /** Another one for each raise: after a crash of MongoDB a version may be given a second time. */
  stamp: string;
  pending: boolean;
  /** Since when the pending key waits for a result, by the clock of the database; null before the first time. */
  at: Date | null;
  /** The most urgent lane that has invalidated the key since it was clean (rule 13.4). */
  lane: Lane;
  /**
   * How many of its versions left as they were: of a brief every position (rule 13.9), of a report the filings
   * that it is folded from (rule 13.3). Absent before the first.
   */
  unmoved?: number;
  /**
   * Of a brief: true when nobody asked for it lately, and a change leaves it to the next reader (rule 13.7);
   * absent until it is built or asked for.
   */
  onRead?: boolean;
  /** Of an issuer, since its last result: the filings that changed, and how many versions named theirs. */
  named?: Accession[];
  namings?: number;
  /** Of an issuer: the version of its last result, and whose rules it was computed by. */
  settled?: number;
  algorithm?: string;
};

/**
 * `report`: key `<cik>|<quarter end>`. `brief`: key is the ticker. `insider`: the issuer's CIK.
 * `peers`: the quarter end. `leaderboard`: the one key of all windows, and each quarter end for the
 * stamp of its reports (`store/report/quarter-reports.ts`). `holders`: `<part of the search>|<quarter end>`.
 * `search`: the part.
 */
export type InvalidationKind =
  | 'report'
  | 'peers'
  | 'brief'
  | 'insider'
  | 'leaderboard'
  | 'holders'
  | 'search';

/** The kind, and the lane of what changed. */
export type Laned = { readonly kind: InvalidationKind; readonly lane: Lane };

export const invalidationsIn = (db: Db) => db.collection<InvalidationDoc>('invalidations');

export const idOf = (kind: InvalidationKind, key: string): string => `${kind}|${key}`;

/** What a result is computed for. */
export type Versioning = {
  readonly version: number;
  /** The versions without those that are `unmoved`. */
  readonly edition: number;
};

export function versioningOf({
  version,
  unmoved = 0,
}: Pick<InvalidationDoc, 'version' | 'unmoved'>): Versioning {
  return { version: Number(version), edition: Number(version) - Number(unmoved) };
}
