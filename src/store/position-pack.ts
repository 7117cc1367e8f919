import type { Cusip } from '../domain/ids.ts';
import type { Reason } from '../domain/quality.ts';
import type { Restatement } from '../domain/report.ts';

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
  /** Null of an exit; 0 where value and issuer are those above, and no reason is filed. */
  filed: null | 0 | [valueCents: string, issuer: string, reasons: Reason[]],
  /** `<filing>:<rows>`, joined by a blank. */
  rowsUsed: string,
  restated: readonly [numerator: string, denominator: string, from: string | null, filed: string] | null,
];

/** A position as its report alone has it: nothing that a comparison or the other filers add. */
export type FiledFacts = {
  readonly issuer: string;
  /** In the unit of the filing date. */
  readonly valueCents: bigint;
  readonly reasons: readonly Reason[];
};

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
  /** Null where the report does not hold it. */
  readonly filed: FiledFacts | null;
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
    packFiled(position),
    position.rowsUsed.map(({ filing, rows }) => `${filing}:${rows}`).join(' '),
    packRestatement(position.restated),
  ];
}

function packFiled({ filed, valueCents, issuer }: StoredPosition): PackedPosition[8] {
  if (filed === null) return null;
  const isSame = filed.valueCents === valueCents && filed.issuer === issuer && filed.reasons.length === 0;
  return isSame ? 0 : [filed.valueCents.toString(), filed.issuer, [...filed.reasons]];
}

function packRestatement(restated: Restatement | null): PackedPosition[10] {
  if (restated === null) return null;
  const { factor, fromCusip, filedPriorAmount } = restated;
  return [factor.numerator.toString(), factor.denominator.toString(), fromCusip, filedPriorAmount.toString()];
}

export function unpackPosition(row: PackedPosition): StoredPosition {
  return {
    cusip: row[0] as Cusip,
    issuer: row[7],
    amount: BigInt(row[1]),
    valueCents: BigInt(row[2]),
    priorAmount: BigInt(row[3]),
    priorValueCents: BigInt(row[4]),
    reasons: row[5],
    filing: row[6],
    filed: unpackFiled(row),
    rowsUsed: row[9] === '' ? [] : row[9].split(' ').map(unpackRows),
    restated: unpackRestatement(row[10]),
  };
}

function unpackFiled({ 2: valueCents, 7: issuer, 8: filed }: PackedPosition): FiledFacts | null {
  if (filed === null) return null;
  if (filed === 0) return { issuer, valueCents: BigInt(valueCents), reasons: [] };
  return { issuer: filed[1], valueCents: BigInt(filed[0]), reasons: filed[2] };
}

function unpackRows(text: string): StoredPosition['rowsUsed'][number] {
  const [filing = '', rows = ''] = text.split(':');
  return { filing: Number(filing), rows };
}

function unpackRestatement(packed: PackedPosition[10]): Restatement | null {
  if (packed === null) return null;
  const [numerator, denominator, fromCusip, filed] = packed;
  return {
    factor: { numerator: BigInt(numerator), denominator: BigInt(denominator) },
    fromCusip: fromCusip as Cusip | null,
    filedPriorAmount: BigInt(filed),
  };
}
