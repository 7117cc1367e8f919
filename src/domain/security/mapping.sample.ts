import type { Cik, Cusip, IsoDate, Ticker } from '../ids.ts';
import { MAPPING_CONFIDENCE, type SecurityMapping } from './mapping.ts';

/** Hand-made mappings for tests; `on` is the day of the source. */
type Dates = {
  readonly on?: string | null;
  readonly from?: string;
  readonly to?: string;
  readonly name?: string;
};

export function fails(symbol: string, cusip: string, dates: Dates = {}): SecurityMapping {
  return mapping(
    { kind: 'cusip', symbol: symbol as Ticker, cusip: cusip as Cusip, source: 'fails_to_deliver' },
    dates,
  );
}
export function listed(symbol: string, cik: Cik, dates: Dates = {}): SecurityMapping {
  return mapping({ kind: 'cik', symbol: symbol as Ticker, cik, source: 'company_tickers' }, dates);
}
export function form4(symbol: string, cik: Cik, dates: Dates = {}): SecurityMapping {
  return mapping({ kind: 'cik', symbol: symbol as Ticker, cik, source: 'form4' }, dates);
}
function mapping(
  fields: Pick<SecurityMapping, 'kind' | 'symbol' | 'source'> & Partial<SecurityMapping>,
  { on = '2019-12-31', from, to, name = '' }: Dates,
): SecurityMapping {
  return {
    cusip: null,
    cik: null,
    name,
    sourceDate: on as IsoDate | null,
    validFrom: (from ?? null) as IsoDate | null,
    validTo: (to ?? null) as IsoDate | null,
    confidence: MAPPING_CONFIDENCE[fields.source],
    ...fields,
  };
}
