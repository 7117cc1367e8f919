import { describe, expect, it } from 'vitest';
import { corpusFile } from '../../test/edgar/fixture.ts';
import { scanHeader } from './header-scan.ts';

const scan = (path: string) => scanHeader(corpusFile(path).toString('latin1', 0, 65_536));

describe('the header of a submission', () => {
  it('has what a listing needs of a 13F', () => {
    expect(scan('filings/0001567619-20-004048.txt')).toEqual({
      accession: '0001567619-20-004048',
      form: '13F-HR',
      filedDate: '2020-02-14',
      acceptance: '20200214163220',
      parties: [{ role: 'Filer', cik: '0000807249', name: 'GAMCO INVESTORS, INC. ET AL' }],
    });
  });

  it('names every owner and the issuer of a Form 4, and no former names', () => {
    const { parties } = scan('filings/0000807249-20-000018.txt');
    expect(parties.map((party) => [party.role, party.cik])).toEqual([
      ['Reporting', '0001185533'],
      ['Reporting', '0001642122'],
      ['Reporting', '0001238894'],
      ['Reporting', '0000807249'],
      ['Issuer', '0001560385'],
    ]);
    expect(parties[1]?.name).toBe('Associated Capital Group, Inc.');
  });

  it('is read in the tagged notation of the dissemination feed too', () => {
    expect(scan('filings/0001951757-25-000093.txt')).toEqual({
      accession: '0001951757-25-000093',
      form: '13F-HR',
      filedDate: '2025-01-22',
      acceptance: null,
      parties: [{ role: 'Filer', cik: '0001994827', name: 'ACORN CREEK CAPITAL LLC' }],
    });
  });

  it('is empty for any other file', () => {
    expect(scanHeader('<!DOCTYPE html><html></html>')).toEqual({
      accession: null,
      form: null,
      filedDate: null,
      acceptance: null,
      parties: [],
    });
  });
});
