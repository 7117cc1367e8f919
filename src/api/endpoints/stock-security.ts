import type { Db } from 'mongodb';
import type { SecurityResolution } from '../../domain/security/resolution.ts';
import { nearestSecurity } from '../cache/search-memory.ts';
import { type Outcome, refusal } from '../endpoint/endpoint.ts';

/** 13F reports can be searched only by CUSIP. */
export function securityOf(resolution: SecurityResolution) {
  if (resolution.kind !== 'resolved' || resolution.cusip === null) return null;
  const { ticker, name, cusip, issuerCik } = resolution;
  return { key: { ticker, cusip }, entity: { ticker, name, cusip, cik: issuerCik } };
}

/** Why there is no list. An empty one would mean that no manager owns the stock. */
export async function noSuchStock(db: Db, resolution: SecurityResolution): Promise<Outcome<never>> {
  return refusal('stock_not_found', await reasonOf(db, resolution));
}

async function reasonOf(db: Db, resolution: SecurityResolution): Promise<string> {
  const { kind, ticker } = resolution;
  if (kind === 'unknown') {
    const meant = await nearestSecurity(db, ticker);
    const hint = meant === null ? '' : ` You may mean ${meant.ticker} (${meant.name}).`;
    return `No security is known by the ticker ${ticker}.${hint} /v1/search?type=holdings&q=${ticker} searches names.`;
  }
  if (kind === 'resolved') return `No CUSIP is known for ${ticker}, so its 13F owners are not known.`;
  return `The ticker ${ticker} is ambiguous: it could be ${resolution.candidates.join(' or ')}.`;
}
