import { expect, test } from 'vitest';
import { reportingOwner } from '../brief/brief.sample.ts';
import { rolesOf } from './item.ts';

const officer = (officerTitle: string | null, isDirector = false) =>
  rolesOf({ ...reportingOwner(1), isDirector, isOfficer: true, officerTitle });

test.each([
  ['Chief Executive Officer', 'CEO'],
  ['President & CEO', 'CEO'],
  ['Co-Chief Executive Officer', 'CEO'],
  ['EVP and Chief Financial Officer', 'CFO'],
  ['Senior Vice President, CFO', 'CFO'],
  ['CSO and COO', 'COO'],
  // The CEO of a division is not that of the company.
  ['CEO Amazon Web Services', 'CEO Amazon Web Services'],
  ['General  Counsel and Secretary', 'General Counsel and Secretary'],
  ['See Remarks', 'officer'],
  [null, 'officer'],
])('the title %s is %s (rule 6.12)', (title, role) => {
  expect(officer(title)).toEqual([role]);
});

test('the flags add director and 10 % owner, and a title without the flag of an officer is none', () => {
  expect(officer('CEO', true)).toEqual(['CEO', 'director']);
  const owner = { ...reportingOwner(1), isDirector: false, isTenPercentOwner: true, officerTitle: 'CEO' };
  expect(rolesOf(owner)).toEqual(['10 % owner']);
});
