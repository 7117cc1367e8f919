import { expect, it } from 'vitest';
import { ownershipOf, thirteenFOf } from '../../test/filings/read.ts';
import { curatedManagerOf } from '../domain/filing/manager.ts';
import { parseCik } from '../domain/ids.ts';

const berkshire = thirteenFOf('13f/0000950123-18-011885.txt');

it('the filer of the header is the manager, not the agent that the accession number begins with (rule 1.2)', () => {
  expect(berkshire.header.accession.slice(0, 10)).toBe('0000950123');
  expect(berkshire.cik).toBe('0001067983');
  const { header, owners, issuer } = ownershipOf('form-4/0000320193-22-000061.txt');
  expect(header.accession.slice(0, 10)).toBe(issuer.cik);
  expect(owners.map(({ cik }) => cik)).not.toContain(issuer.cik);
});

it('a manager has the conformed name of EDGAR, whatever the cover says (rule 1.2)', () => {
  expect(berkshire.managerName).toBe('BERKSHIRE HATHAWAY INC');
});

it('the person behind a manager comes from a list with sources, never from the signer (rule 1.2)', () => {
  expect(curatedManagerOf(berkshire.cik)).toMatchObject({ name: 'Warren Buffett' });
  expect(curatedManagerOf(berkshire.cik)?.source).toMatch(/^https:\/\//);
  const unlisted = parseCik('1000097');
  expect(unlisted && curatedManagerOf(unlisted)).toBeNull();
});
