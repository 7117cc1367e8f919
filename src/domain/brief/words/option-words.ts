import type { InstitutionalLeg } from '../../holders/institutional.ts';
import { netDelta } from '../../holders/totals.ts';
import { abs } from '../../money.ts';
import { signed } from './numbers.ts';

/** Where options moved more shares than the managers' own shares did (rule 7.8). */
export function optionWords({ options: { put, call }, totals }: InstitutionalLeg): string | false {
  const net = abs(netDelta(totals));
  if (abs(put) <= net && abs(call) <= net) return false;
  const moved = [put !== 0n && `puts ${signed(put)}`, call !== 0n && `calls ${signed(call)}`];
  return `Options on it changed by more shares than the managers' own holdings: ${moved.filter(Boolean).join(', ')}. The direction does not count them.`;
}
