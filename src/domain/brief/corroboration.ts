import type { Corroboration, Insiders, Institutional } from '../wire/brief.ts';

type Sign = 'up' | 'down' | 'mixed' | 'none';

const INSTITUTIONAL: Record<Institutional['stance'], Sign> = {
  net_increases: 'up',
  net_decreases: 'down',
  mixed: 'mixed',
  unchanged: 'none',
  none_found: 'none',
  not_determined: 'none',
};
const INSIDERS: Record<Insiders['stance'], Sign> = {
  net_buying: 'up',
  net_selling: 'down',
  mixed: 'mixed',
  none_found: 'none',
  not_available: 'none',
};

/** Whether Form 4 activity supports the institutional direction (rule 8.5). */
export function corroborate(
  institutional: Institutional['stance'],
  insiders: Insiders['stance'],
): Corroboration {
  const [a, b] = [INSTITUTIONAL[institutional], INSIDERS[insiders]];
  if (a === 'mixed' || b === 'mixed') return 'mixed';
  if (a === 'none' || b === 'none') return 'not_comparable';
  return a === b ? 'supports' : 'contradicts';
}
