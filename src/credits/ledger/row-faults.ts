import { type LedgerDoc, type Place, placeOf, rowOf } from '../../store/account/ledger.ts';
import type { CreditStore } from '../store.ts';

type Before = {
  /** The row before; null when there is none. */
  readonly last: LedgerDoc | null;
  /** The amounts of grants as MongoDB has them, by `rid`. */
  readonly granted: ReadonlyMap<string, number>;
};

/** What is wrong with a row of the ledger (rule 12.8), each in a few words; null for nothing. */
export async function faultsOf(
  store: CreditStore,
  row: LedgerDoc,
  { last, granted }: Before,
): Promise<(string | null)[]> {
  return [faultOf(last, row), await sourceFaultOf(store, row, granted)];
}

/** A grant is as MongoDB has it; a void is of a charge, and the only one. */
async function sourceFaultOf(
  store: CreditStore,
  row: LedgerDoc,
  granted: ReadonlyMap<string, number>,
): Promise<string | null> {
  if (row.kind === 'grant') return granted.get(row.rid) === row.delta ? null : 'not as it was granted';
  if (row.kind !== 'void' && row.kind !== 'crash_void') return null;
  return (await isVoidOfCharge(store, row)) ? null : 'no charge of this amount';
}

/** Why a row does not follow from the one before; null when it does. */
function faultOf(last: LedgerDoc | null, row: LedgerDoc): string | null {
  const before: Place = last === null ? { epoch: 0, n: 0, balance: 0 } : placeOf(last);
  const { epoch, n, balance } = placeOf(row);
  const begins = last === null || row.kind === 'open';
  if (n !== before.n + 1) return `follows number ${before.n}`;
  if (begins ? epoch <= before.epoch : epoch !== before.epoch) return `follows epoch ${before.epoch}`;
  if (balance !== before.balance + row.delta) return `${before.balance} and ${row.delta} are not ${balance}`;
  return balance < 0 ? 'the balance is below 0' : null;
}

async function isVoidOfCharge({ db }: CreditStore, row: LedgerDoc): Promise<boolean> {
  const charge = await rowOf(db, { ...row, kind: 'charge' });
  const other = await rowOf(db, { ...row, kind: row.kind === 'void' ? 'crash_void' : 'void' });
  return charge?.delta === -row.delta && other === null;
}
