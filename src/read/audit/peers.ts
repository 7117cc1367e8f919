import type { Db } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import type { QuarterEnd } from '../../domain/ids.ts';
import type { CorporateAction } from '../../domain/peers/verdict.ts';
import { peerVerdictsIn, unpackCorporateActions } from '../../store/peers/corporate-actions.ts';
import type { AuditScope, Section } from './section.ts';
import { worstOf } from './tally.ts';

type Action = CorporateAction & { readonly quarter: QuarterEnd };

/** What the filers of each quarter agree on. */
export async function auditCorporateActions(db: Db, { quarterEnd, limit }: AuditScope): Promise<Section> {
  const counts = new Map<string, number>();
  const worst = worstOf<Action>(limit, closestFirst);
  const filter = quarterEnd === null ? {} : { _id: quarterEnd };
  const docs = peerVerdictsIn(db).find(filter, { projection: { corporateActions: 1 } });
  for await (const { _id, corporateActions } of docs) {
    for (const action of unpackCorporateActions(corporateActions)) {
      counts.set(action.kind, (counts.get(action.kind) ?? 0) + 1);
      worst.add({ ...action, quarter: _id });
    }
  }
  const all = [...counts].sort(([a], [b]) => compare(a, b)).map(([kind, count]) => `${count} ${kind}`);
  return {
    title: 'Splits, new CUSIPs, mergers and mass exits by the filers together',
    about: `${all.join(', ') || 'None'}. The closest votes of the latest quarter first.`,
    rows: worst.found().worst.map(rowOf),
  };
}

function rowOf(action: Action) {
  const { kind, quarter, cusip, votes, compared } = action;
  const from = 'from' in action ? action.from : null;
  return { kind, quarter, cusip, from, factor: factorOf(action), votes, of_holders: compared };
}

function factorOf(action: CorporateAction): string | null {
  if ('factor' in action) return `${action.factor.numerator}:${action.factor.denominator}`;
  return action.kind === 'stock_merger' ? `${action.multiple}:1` : null;
}

function closestFirst(a: Action, b: Action): number {
  return compare(b.quarter, a.quarter) || shareOf(a) - shareOf(b) || compare(keyOf(a), keyOf(b));
}

function shareOf({ votes, compared }: Action): number {
  return compared === 0 ? 0 : votes / compared;
}

function keyOf(action: Action): string {
  return `${action.cusip}|${action.kind}|${'from' in action ? action.from : ''}`;
}
