import { createHash } from 'node:crypto';
import type { Cusip } from '../../domain/ids.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import type { Restatement } from '../../domain/report/report.ts';
import { AMOUNT, type FieldCodecs, listOf, nullable, PLAIN, RATIO, tupleOf } from '../mongo/pack.ts';
import { type Sliced, slicesOf } from './slices.ts';

/** The change of one equity position, as the comparison of its report stores it. */
export type StoredPosition = {
  readonly cusip: Cusip;
  /** The issuer's name as the report spells it. */
  readonly issuer: string;
  readonly amount: bigint;
  readonly valueCents: bigint;
  readonly priorAmount: bigint;
  readonly priorValueCents: bigint;
  readonly reasons: readonly Reason[];
  /** Place of the filing that the change comes from in the report's list; -1 for none of its own. */
  readonly filing: number;
  readonly rowsUsed: readonly StoredRowsUsed[];
  readonly restated: Restatement | null;
};

/** `filing` is the place in the report's filings; past their end, in `priorAccessions`. */
type StoredRowsUsed = { readonly filing: number; readonly rows: string };

const POSITION_FIELDS: FieldCodecs<StoredPosition> = {
  cusip: PLAIN,
  amount: AMOUNT,
  valueCents: AMOUNT,
  priorAmount: AMOUNT,
  priorValueCents: AMOUNT,
  reasons: PLAIN,
  filing: PLAIN,
  issuer: PLAIN,
  rowsUsed: listOf(tupleOf<StoredRowsUsed>({ filing: PLAIN, rows: PLAIN })),
  restated: nullable(tupleOf<Restatement>({ factor: RATIO, fromCusip: PLAIN, filedPriorAmount: AMOUNT })),
};

/** A stored position with the manager, quarter and digest that it belongs to. */
export type ManagerPosition = Sliced<StoredPosition>;

/** A report of 350 rows writes some 120 documents, and a security is read with two or three others. */
export const POSITION_BUCKETS = 128;

/** The bucket of a CUSIP for ever, as three hex digits. */
function bucketAmong(buckets: number, cusip: string): string {
  return bucketName(createHash('sha1').update(cusip).digest().readUInt16BE(0) % buckets);
}

function bucketName(bucket: number): string {
  return bucket.toString(16).padStart(3, '0');
}

export const bucketOf = (cusip: string): string => bucketAmong(POSITION_BUCKETS, cusip);

export const positions = slicesOf<StoredPosition>('positions', {
  bucketOf,
  codec: tupleOf<StoredPosition>(POSITION_FIELDS),
});

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
