import { describe, expect, it } from 'vitest';
import { fixture } from '../../../test/edgar/fixture.ts';
import { isHtmlPage, judge } from './judge.ts';

const THRESHOLD =
  '<!DOCTYPE html><html><head><title>SEC.gov | Request Rate Threshold Exceeded</title></head></html>';
const UNDECLARED =
  '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html><title>SEC.gov | Your Request Originates from an Undeclared Automated Tool</title></html>';
const DENIED =
  '<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>';
const PAGE = fixture('getcurrent-05100-503.html').toString('latin1');

const ask = (status: number, head: string, expects: 'document' | 'index' = 'document') =>
  judge({
    url: 'https://www.sec.gov/x',
    status,
    head,
    expects,
    retryAfterSeconds: null,
    isConditional: false,
  });

describe('an answer of EDGAR', () => {
  it.each([
    [429, '', 'edgar_blocked', true],
    [403, THRESHOLD, 'edgar_blocked', true],
    [200, THRESHOLD, 'edgar_blocked', true],
    [403, UNDECLARED, 'edgar_undeclared', false],
    [403, 'nobody knows why', 'edgar_refused', true],
    [403, DENIED, 'edgar_not_found', true],
    [404, PAGE, 'edgar_not_found', true],
    [301, '', 'edgar_redirect', false],
    [500, PAGE, 'edgar_unavailable', true],
    [503, PAGE, 'edgar_unavailable', true],
    [200, PAGE, 'edgar_html', true],
  ] as const)('of status %i beginning %.30j is %s', (status, head, code, retry) => {
    expect(ask(status, head)).toMatchObject({ code, retry });
  });

  it('for an index without filings that day is not an outage', () => {
    expect(ask(403, DENIED, 'index')).toMatchObject({ code: 'edgar_no_index', retry: false });
  });

  it('is unchanged only when that was asked', () => {
    const answer = { url: 'x', status: 304, head: '', expects: 'index', retryAfterSeconds: null } as const;
    expect(judge({ ...answer, isConditional: true })).toMatchObject({ code: 'edgar_not_modified' });
    expect(judge({ ...answer, isConditional: false })).toMatchObject({
      code: 'edgar_malformed',
      retry: true,
    });
  });

  it('that is the document is no error, even when it contains HTML or mentions thresholds', () => {
    expect(ask(200, '<SEC-DOCUMENT>x\n<TEXT>\n<html>Request Rate Threshold Exceeded')).toBeNull();
    expect(ask(200, '<?xml version="1.0"?><feed>')).toBeNull();
  });

  it.each([
    [30, 30],
    [3_600, 3_600],
    [3_601, 600],
    [1e9, 600],
    [1e20, 600],
    [-1, 600],
    [0.5, 600],
  ])('that asks to wait %d s is followed for %d s', (retryAfterSeconds, seconds) => {
    const asked = {
      url: 'x',
      expects: 'document',
      isConditional: false,
      head: '',
      retryAfterSeconds,
    } as const;
    for (const status of [429, 503]) {
      expect(judge({ ...asked, status })?.retryAfterMs).toBe(seconds * 1_000);
    }
  });

  it('that asks to come back at once leaves the pauses to us, and one that is final asks for none', () => {
    const asked = { url: 'x', expects: 'document', isConditional: false, head: '' } as const;
    expect(judge({ ...asked, status: 503, retryAfterSeconds: 0 })?.retryAfterMs).toBeNull();
    const undeclared = judge({ ...asked, head: UNDECLARED, status: 403, retryAfterSeconds: 1 });
    expect(undeclared).toMatchObject({ retry: false, retryAfterMs: null });
  });

  it('is a web page, whatever comes before the html tag', () => {
    for (const head of ['<HTML>', '\n\n<!doctype HTML>', '<!-- x --><html lang="en">', UNDECLARED]) {
      expect(isHtmlPage(head), head).toBe(true);
    }
    expect(isHtmlPage('-----BEGIN PRIVACY-ENHANCED MESSAGE-----')).toBe(false);
  });
});
