import type { Db } from 'mongodb';
import type { QuarterEnd } from '../../domain/ids.ts';
import type { CorporateAction } from '../../domain/peers/verdict.ts';
import { peerVerdictsIn, unpackEvents } from '../../store/peers/corporate-actions.ts';
import type { AuditScope } from './scope.ts';
import type { Audit } from './shape.ts';
import { worstOf } from './worst.ts';

type EventLine = Audit['security_events']['worst'][number];

/** Splits, refused ones, new CUSIPs, mass exits and mass entries that the filers of each quarter agree on. */
export async function auditEvents(db: Db, scope: AuditScope): Promise<Audit['security_events']> {
  const counts = { split: 0, common_ratio: 0, refuted: 0, cusip_change: 0, mass_exit: 0, mass_entry: 0 };
  const worst = worstOf<EventLine>(scope.limit, compareLines);
  const filter = scope.quarterEnd === null ? {} : { _id: scope.quarterEnd };
  const docs = peerVerdictsIn(db).find(filter, { projection: { events: 1 } });
  for await (const { _id, events } of docs) {
    for (const event of unpackEvents(events).filter((one) => isOfSecurity(one, scope))) {
      counts[event.kind] += 1;
      worst.add(lineOf(event, _id));
    }
  }
  const { split, common_ratio, refuted, cusip_change, mass_exit, mass_entry } = counts;
  return {
    splits: split,
    common_ratios: common_ratio,
    refuted,
    cusip_changes: cusip_change,
    mass_exits: mass_exit,
    mass_entries: mass_entry,
    worst: worst.first(),
  };
}

function isOfSecurity(event: CorporateAction, { security }: AuditScope): boolean {
  if (security === null) return true;
  if (event.cusip === security.cusip) return true;
  return event.kind === 'cusip_change' && event.from === security.cusip;
}

function lineOf(event: CorporateAction, quarterEnd: QuarterEnd): EventLine {
  return {
    kind: event.kind,
    quarter_end: quarterEnd,
    cusip: event.cusip,
    from: 'from' in event ? event.from : null,
    factor: 'factor' in event ? `${event.factor.numerator}:${event.factor.denominator}` : null,
    votes: 'votes' in event ? event.votes : null,
    compared: event.compared,
    unchanged: 'unchanged' in event ? event.unchanged : null,
  };
}

/** The latest quarter first; in it the vote with the smallest share of those asked. */
function compareLines(a: EventLine, b: EventLine): number {
  if (a.quarter_end !== b.quarter_end) return a.quarter_end > b.quarter_end ? -1 : 1;
  return shareOf(a) - shareOf(b) || (keyOf(a) < keyOf(b) ? -1 : 1);
}

function shareOf({ votes, unchanged, compared }: EventLine): number {
  return compared === 0 ? 0 : (votes ?? unchanged ?? 0) / compared;
}

function keyOf({ kind, cusip, from }: EventLine): string {
  return `${cusip}|${kind}|${from ?? ''}`;
}
