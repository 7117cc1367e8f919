import { PLAIN, tupleOf } from '../mongo/pack.ts';
import { bucketAmong, bucketName, POSITION_FIELDS, type StoredPosition } from './positions.ts';
import { slicesOf } from './slices.ts';

/** The change of one manager's puts or calls on a security, in shares of the underlying. */
export type StoredOption = StoredPosition & { readonly putCall: 'PUT' | 'CALL' };

/** A tenth of the managers list options: in few buckets a report writes few documents. */
const OPTION_BUCKETS = 16;
export const ALL_OPTION_BUCKETS: readonly string[] = Array.from({ length: OPTION_BUCKETS }, (_, bucket) =>
  bucketName(bucket),
);

/** In a collection of their own, so that no reader of positions can take them for shares. */
export const options = slicesOf<StoredOption>('options', {
  bucketOf: (cusip) => bucketAmong(OPTION_BUCKETS, cusip),
  codec: tupleOf<StoredOption>({ ...POSITION_FIELDS, putCall: PLAIN }),
});
