import { describe, expect, it } from 'vitest';
import { fixture } from '../../../test/edgar/fixture.ts';
import { parseMasterIndex } from './daily-index.ts';

const DAY = fixture('master.20181231.idx');

describe('a master index', () => {
  it('lists each accession once, under the co-registrant listed first', () => {
    const index = parseMasterIndex(DAY);
    expect(index.rows).toHaveLength(1_915);
    expect(index.rows.filter((row) => row.form === '4')).toHaveLength(360);
    expect(index.rows[0]).toEqual({
      cik: '0001000228',
      company: 'HENRY SCHEIN INC',
      form: '4',
      filedDate: '2018-12-31',
      accession: '0001209191-18-064398',
    });
  });

  it('reads the older notation with dashes in its dates', () => {
    const index = parseMasterIndex(fixture('master-1993.idx'));
    expect(index.rows[0]?.filedDate).toBe('1993-12-30');
    expect(index.rows).toHaveLength(19);
  });

  it('is refused when it is cut anywhere, so that a cut index is never a reconciled day', () => {
    for (const length of [0, 100, 300, 5_000, DAY.length - 1]) {
      expect(() => parseMasterIndex(DAY.subarray(0, length)), String(length)).toThrow('cannot be read');
    }
  });

  it('says whether it lists all of EDGAR or a selection', () => {
    expect(parseMasterIndex(DAY).isSelection).toBe(false);
    const ours = DAY.toString('latin1').replace(
      'Daily Index of EDGAR',
      'Daily Index of a local selection of EDGAR',
    );
    expect(parseMasterIndex(Buffer.from(ours, 'latin1')).isSelection).toBe(true);
  });

  it('reads names that are not UTF-8 or that contain the separator', () => {
    const head = DAY.toString('latin1').split('\n').slice(0, 7).join('\n');
    const row = '1067983|SOCIÉTÉ | GÉNÉRALE|13F-HR|20181231|edgar/data/1067983/0000950123-18-011885.txt\n';
    const [only] = parseMasterIndex(Buffer.from(`${head}\n${row}`, 'latin1')).rows;
    expect(only).toMatchObject({ company: 'SOCIÉTÉ | GÉNÉRALE', form: '13F-HR', cik: '0001067983' });
  });
});
