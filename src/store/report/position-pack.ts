import type { Cusip } from '../../domain/ids.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import type { Restatement } from '../../domain/report/report.ts';
import { outdated } from '../mongo/outdated.ts';

/** Amounts as decimal text: JSON has no bigint. */
export type PackedPosition = [
  cusip: string,
  amount: string,
  valueCents: string,
  priorAmount: string,
  priorValueCents: string,
  reasons: Reason[],
  filing: number,
  issuer: string,
  /** `<filing>:<rows>`, joined by a blank. */
  rowsUsed: string,
  restated: readonly [numerator: string, denominator: string, from: string | null, filed: string] | null,
];

/** Of a packed position. */
const FIELDS: PackedPosition['length'] = 10;

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
  /** `filing` is the place in the report's filings; past their end, in `priorAccessions`. */
  readonly rowsUsed: readonly { readonly filing: number; readonly rows: string }[];
  readonly restated: Restatement | null;
};

export function packPosition(position: StoredPosition): PackedPosition {
  return [
    position.cusip,
    position.amount.toString(),
    position.valueCents.toString(),
    position.priorAmount.toString(),
    position.priorValueCents.toString(),
    [...position.reasons],
    position.filing,
    position.issuer,
    position.rowsUsed.map(({ filing, rows }) => `${filing}:${rows}`).join(' '),
    packRestatement(position.restated),
  ];
}

function packRestatement(restated: Restatement | null): PackedPosition[9] {
  if (restated === null) return null;
  const { factor, fromCusip, filedPriorAmount } = restated;
  return [factor.numerator.toString(), factor.denominator.toString(), fromCusip, filedPriorAmount.toString()];
}

/** Throws `store_outdated` of a position that an older version has packed: less was known of it. */
export function unpackPosition(row: PackedPosition): StoredPosition {
  if (row.length < FIELDS) throw outdated(`a position in ${row[0]}`);
  return {
    cusip: row[0] as Cusip,
    issuer: row[7],
    amount: BigInt(row[1]),
    valueCents: BigInt(row[2]),
    priorAmount: BigInt(row[3]),
    priorValueCents: BigInt(row[4]),
    reasons: row[5],
    filing: row[6],
    rowsUsed: row[8] === '' ? [] : row[8].split(' ').map(unpackRows),
    restated: unpackRestatement(row[9]),
  };
}

function unpackRows(text: string): StoredPosition['rowsUsed'][number] {
  const [filing = '', rows = ''] = text.split(':');
  return { filing: Number(filing), rows };
}

function unpackRestatement(packed: PackedPosition[9]): Restatement | null {
  if (packed === null) return null;
  const [numerator, denominator, fromCusip, filed] = packed;
  return {
    factor: { numerator: BigInt(numerator), denominator: BigInt(denominator) },
    fromCusip: fromCusip as Cusip | null,
    filedPriorAmount: BigInt(filed),
  };
}
