import { describe, expect, it } from 'vitest';
import { fixture } from '../../test/edgar/fixture.ts';
import type { Accession, Cik, IsoDate } from '../domain/ids.ts';
import { indexDays, indexYears, listedNames } from './client/open.ts';
import * as urls from './urls.ts';

describe('paths of EDGAR', () => {
  it('are built from ids: the CIK without zeros, the day in its quarter', () => {
    expect(urls.submissionPath('0001067983' as Cik, '0000950123-18-011885' as Accession)).toBe(
      '/Archives/edgar/data/1067983/0000950123-18-011885.txt',
    );
    expect(urls.dailyIndexPath('2018-11-14' as IsoDate)).toBe(
      '/Archives/edgar/daily-index/2018/QTR4/master.20181114.idx',
    );
    expect(urls.currentFeedPath({ type: '13F-HR', start: 100, count: 100 })).toBe(
      '/cgi-bin/browse-edgar?action=getcurrent&type=13F-HR&owner=include&count=100&start=100&output=atom',
    );
  });

  it('never contain a name of an unknown shape', () => {
    expect(urls.failsFilePath('cnsfails201901a.zip')).toBe(
      '/files/data/fails-deliver-data/cnsfails201901a.zip',
    );
    for (const name of [
      '../../etc/passwd',
      'cnsfails201901c.zip',
      'cnsfails201901a.zip/..',
      'x?cnsfails201901a.zip',
    ]) {
      expect(() => urls.failsFilePath(name), name).toThrow('not a fails-to-deliver file name');
    }
  });
});

describe('a directory listing', () => {
  const read = (name: string) => listedNames(fixture(name), name);
  it('gives the years of the daily index and the days of a quarter', () => {
    expect(indexYears(read('daily-index.json')).slice(0, 2)).toEqual([1994, 1995]);
    const days = indexDays(read('daily-index-2023-qtr1.json'));
    expect(days).toHaveLength(62);
    expect(days[0]).toBe('2023-01-03');
    expect(indexDays(read('daily-index-2023.json'))).toEqual([]);
  });

  it('of an unknown shape is refused, not read as empty', () => {
    expect(() => listedNames(Buffer.from('{"error":"x"}'), 'x')).toThrow('unknown shape');
    expect(() => listedNames(Buffer.from('<html>'), 'x')).toThrow('not JSON');
  });
});
