import { describe, expect, it } from 'vitest';
import { corpusFile, fixture } from '../../../test/edgar/fixture.ts';
import { parseCompanyTickers } from './company-tickers.ts';

describe('company tickers', () => {
  it('have a padded CIK and a dotted ticker in company_tickers.json', () => {
    const tickers = parseCompanyTickers(corpusFile('company_tickers.json'));
    expect(tickers).toHaveLength(9_610);
    expect(tickers.find((row) => row.ticker === 'BRK.B')).toEqual({
      cik: '0001067983',
      ticker: 'BRK.B',
      name: 'BERKSHIRE HATHAWAY INC',
      exchange: null,
    });
  });

  it('leave out rows without an exchange, whose symbols get recycled (rule 3.4)', () => {
    const tickers = parseCompanyTickers(fixture('company_tickers_exchange.json'));
    expect(tickers).toHaveLength(40);
    expect(tickers[0]).toEqual({ cik: '0000320193', ticker: 'AAPL', name: 'Apple Inc.', exchange: 'Nasdaq' });
  });

  it('may have CIKs written as padded text', () => {
    const text = '{"0":{"cik_str":"0001045810","ticker":"NVDA","title":"NVIDIA CORP"}}';
    expect(parseCompanyTickers(Buffer.from(text))[0]?.cik).toBe('0001045810');
  });

  it('are refused when the file is cut or has another shape', () => {
    expect(() => parseCompanyTickers(Buffer.from('{"0":'))).toThrow('cannot be read');
    expect(() => parseCompanyTickers(Buffer.from('{"error":"x"}'))).toThrow('cannot be read');
  });
});
