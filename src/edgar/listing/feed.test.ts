import { describe, expect, it } from 'vitest';
import { fixture } from '../../../test/edgar/fixture.ts';
import { form4 } from '../../forms/form-4/form-4.ts';
import { formFor } from '../../forms/index.ts';
import { isPastTheEnd, parseFeed } from './feed.ts';

const FIRST = parseFeed(fixture('getcurrent-00000.atom'));

describe('a page of getcurrent', () => {
  it('lists each accession once, under the issuer although the reporting owner came first', () => {
    expect(FIRST.entryCount).toBe(100);
    expect(FIRST.entries).toHaveLength(50);
    expect(FIRST.entries[0]).toEqual({
      accession: '0002063236-25-000004',
      cik: '0001673743',
      form: '4',
      company: 'Hinge Health, Inc.',
      role: 'Issuer',
      filedDate: '2025-12-12',
    });
  });

  it.each([
    ['getcurrent-02500.atom', 100, 71],
    ['getcurrent-05000.atom', 100, 69],
    ['getcurrent-144.atom', 40, 20],
  ])('reads every entry of %s', (name, entryCount, accessions) => {
    const page = parseFeed(fixture(name));
    expect(page.entryCount).toBe(entryCount);
    expect(page.entries).toHaveLength(accessions);
    expect(page.unread).toEqual([]);
  });

  it('names exact forms, so that a filter for 4 excludes 424B2 and 40-F', () => {
    const page = parseFeed(fixture('getcurrent-02500.atom'));
    expect(page.entries.some((entry) => entry.form.startsWith('424B'))).toBe(true);
    const carried = page.entries.filter((entry) => formFor([form4], entry.form) !== null);
    expect(new Set(carried.map((entry) => entry.form))).toEqual(new Set(['4']));
  });

  it('refuses an error page, a cut page and a bare document instead of returning no entries', () => {
    const whole = fixture('getcurrent-00000.atom');
    expect(() => parseFeed(fixture('getcurrent-05100-503.html'))).toThrow('DOCTYPE');
    expect(() => parseFeed(whole.subarray(0, whole.length - 400))).toThrow('cannot be read');
    expect(() => parseFeed(Buffer.from('<nothing/>'))).toThrow('root');
  });
});

describe('an entry with an unusual id', () => {
  const NUMBER = '0002063236-25-000004';
  const ID = `urn:tag:sec.gov,2008:accession-number=${NUMBER}`;
  const whole = fixture('getcurrent-00000.atom').toString('latin1');
  const page = (id: string, others = (text: string) => text) => {
    const [entry = ''] = whole.match(/<entry>[\s\S]*?<\/entry>/) ?? [];
    return parseFeed(Buffer.from(`<feed>${others(entry.replace(`<id>${ID}</id>`, id))}</feed>`, 'latin1'));
  };

  it.each([
    [`<id>urn:tag:sec.gov,2008:accession-nunber=${NUMBER}</id>`],
    [`<id>urn:tag:sec.gov,2008:accession-number:${NUMBER}</id>`],
    ['<id>urn:tag:sec.gov,2008:accession-number=</id>'],
    ['<id>tag:sec.gov,2026-11-30:7</id>'],
    ['<id/>'],
    [''],
  ])('%s is listed under the number of its link', (id) => {
    expect(page(id)).toMatchObject({ entries: [{ accession: NUMBER }], unread: [] });
  });

  it('and a link without a number is listed under that of its summary', () => {
    const unlinked = (entry: string) => entry.replace(/<link[^>]*>/, '<link href="/cgi-bin/browse-edgar"/>');
    expect(page('', unlinked)).toMatchObject({ entries: [{ accession: NUMBER }], unread: [] });
  });

  it('and a summary that names its number before its day is read', () => {
    const turned = (entry: string) =>
      entry.replace(/<summary[\s\S]*<\/summary>/, `<summary>AccNo: ${NUMBER} Filed: 2025-12-12</summary>`);
    const listed = { accession: NUMBER, filedDate: '2025-12-12' };
    expect(page('<id/>', turned)).toMatchObject({ entries: [listed], unread: [] });
  });

  it('whose number neither link nor summary names is listed under that of both', () => {
    for (const id of ['20251212180243000001', '202512121802430001', '0002063236-25-000003'])
      expect(page(`<id>urn:tag:sec.gov,2008:${id}</id>`)).toMatchObject({ entries: [{ accession: NUMBER }] });
  });

  it('and a second link and category, or a link without dashes, hide neither number nor form', () => {
    const second = (entry: string) =>
      entry
        .replace(/AccNo[\s\S]*(?=<\/summary>)/, '')
        .replace(/-index.htm"\/>/, '-index.htm"/><link rel="related" href="/cgi-bin/browse-edgar"/>')
        .replace('term="4"/>', 'term="4"/><category label="size" term="10 KB"/>');
    expect(page('', second)).toMatchObject({ entries: [{ accession: NUMBER, form: '4' }], unread: [] });
    const bare = (entry: string) => second(entry).replace(`${NUMBER}-index.htm`, 'index.json');
    expect(page('', bare)).toMatchObject({ entries: [{ accession: NUMBER, form: '4' }], unread: [] });
  });

  it('is unread when nothing names a number, or no date, party or form', () => {
    const numberless = (entry: string) => entry.replaceAll(/\d{10}-?\d\d-?\d{6}/g, '');
    expect(page('', numberless)).toEqual({ entries: [], unread: ['4'], entryCount: 1 });
    expect(page('', (entry) => entry.replace('2025-12-12 ', '')).unread).toEqual(['4']);
    expect(page('', (entry) => entry.replace('(0002063236)', '')).unread).toEqual(['4']);
    expect(page('', (entry) => entry.replace('term="4"', '')).unread).toEqual(['']);
  });
});

describe('a 503 while paging', () => {
  const full = { requested: 100, entryCount: 100, allKnown: false };
  it('is the end after a short page or a page of known filings, and an outage otherwise', () => {
    expect(isPastTheEnd(0, null)).toBe(false);
    expect(isPastTheEnd(0, { ...full, entryCount: 3 })).toBe(false);
    expect(isPastTheEnd(5_100, full)).toBe(false);
    expect(isPastTheEnd(5_100, { ...full, entryCount: 42 })).toBe(true);
    expect(isPastTheEnd(200, { ...full, allKnown: true })).toBe(true);
  });
});
