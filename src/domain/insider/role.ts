import type { ReportingOwner } from '../filing/filing.ts';

/** Of a whole title or a part of it: the `CEO` of a division is none of the company. */
const OFFICES: readonly (readonly [string, RegExp])[] = [
  ['CEO', /^(?:co-)?(?:ceo|(?:chief|principal) exec(?:utive|\.)?(?: off(?:icer|\.)?)?)$/i],
  ['CFO', /^(?:co-)?(?:cfo|(?:chief|principal) fin(?:ancial|\.)?(?: off(?:icer|\.)?)?)$/i],
  ['COO', /^(?:co-)?(?:coo|chief oper(?:ating|\.)?(?: off(?:icer|\.)?)?)$/i],
];
/** `See Remarks`. */
const ELSEWHERE = /^see\b/i;

/**
 * What the owner is to the issuer, the highest first: `CEO`, `CFO` or `COO`, another officer's title as
 * filed, `director`, `10 % owner`. Empty where the form marks none of them (rule 6.12).
 */
export function rolesOf(owner: Omit<ReportingOwner, 'cik' | 'name'>): string[] {
  const roles = owner.isOfficer ? [officeOf(owner.officerTitle)] : [];
  if (owner.isDirector) roles.push('director');
  if (owner.isTenPercentOwner) roles.push('10 % owner');
  return roles;
}

function officeOf(title: string | null): string {
  const filed = title?.replace(/\s+/g, ' ').trim() ?? '';
  const parts = filed.split(/ ?(?:[,;/&+]|\band\b) ?/i);
  const [office] = OFFICES.find(([, pattern]) => parts.some((part) => pattern.test(part))) ?? [];
  return office ?? (filed === '' || ELSEWHERE.test(filed) ? 'officer' : filed);
}
