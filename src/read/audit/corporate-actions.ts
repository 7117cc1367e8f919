import type { Db } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import type { QuarterEnd } from '../../domain/ids.ts';
import type { CorporateAction } from '../../domain/peers/verdict.ts';
import { peerVerdictsIn, unpackCorporateActions } from '../../store/peers/corporate-actions.ts';
import type { AuditScope } from './scope.ts';
import type { Audit } from './shape.ts';
import { worstOf } from './tally.ts';

type CorporateActionLine = Audit['corporate_actions']['worst'][number];

/** Splits, refused ones, new CUSIPs, mass exits, mass entries and stock mergers that the filers of each quarter agree on. */
export async function auditCorporateActions(db: Db, scope: AuditScope): Promise<Audit['corporate_actions']> {
  const counts = {
    split: 0,
    split_suspected: 0,
    cusip_change: 0,
    cusip_change_suspected: 0,
    mass_exit: 0,
    mass_entry: 0,
    stock_merger: 0,
  };
  const worst = worstOf<CorporateActionLine>(scope.limit, compareLines);
  const filter = scope.quarterEnd === null ? {} : { _id: scope.quarterEnd };
  const docs = peerVerdictsIn(db).find(filter, { projection: { corporateActions: 1 } });
  for await (const { _id, corporateActions } of docs) {
    for (const action of unpackCorporateActions(corporateActions).filter((one) => isOfSecurity(one, scope))) {
      counts[action.kind] += 1;
      worst.add(lineOf(action, _id));
    }
  }
  const { split, cusip_change, mass_exit, mass_entry, stock_merger } = counts;
  return {
    splits: split,
    splits_suspected: counts.split_suspected,
    cusip_changes: cusip_change,
    cusip_changes_suspected: counts.cusip_change_suspected,
    mass_exits: mass_exit,
    mass_entries: mass_entry,
    stock_mergers: stock_merger,
    worst: worst.found().worst,
  };
}

function isOfSecurity(action: CorporateAction, { security }: AuditScope): boolean {
  if (security === null) return true;
  if (action.cusip === security.cusip) return true;
  return 'from' in action && action.from === security.cusip;
}

function lineOf(action: CorporateAction, quarterEnd: QuarterEnd): CorporateActionLine {
  return {
    kind: action.kind,
    quarter_end: quarterEnd,
    cusip: action.cusip,
    from: 'from' in action ? action.from : null,
    factor: factorText(action),
    votes: action.votes,
    compared: action.compared,
  };
}

function factorText(action: CorporateAction): string | null {
  if ('factor' in action) return `${action.factor.numerator}:${action.factor.denominator}`;
  return action.kind === 'stock_merger' ? `${action.multiple}:1` : null;
}

/** The latest quarter first; in it the vote with the smallest share of those asked. */
function compareLines(a: CorporateActionLine, b: CorporateActionLine): number {
  return compare(b.quarter_end, a.quarter_end) || shareOf(a) - shareOf(b) || compare(keyOf(a), keyOf(b));
}

function shareOf({ votes, compared }: CorporateActionLine): number {
  return compared === 0 ? 0 : votes / compared;
}

function keyOf({ kind, cusip, from }: CorporateActionLine): string {
  return `${cusip}|${kind}|${from ?? ''}`;
}
