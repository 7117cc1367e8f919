import type { SecurityResolution } from '../../domain/security/resolution.ts';

/** 13F reports can be searched only by CUSIP. */
export function securityOf(resolution: SecurityResolution) {
  if (resolution.kind !== 'resolved' || resolution.cusip === null) return null;
  const { ticker, name, cusip, issuerCik } = resolution;
  return { key: { ticker, cusip }, entity: { ticker, name, cusip, cik: issuerCik } };
}

/** Why there is no list. An empty one would mean that no manager owns the stock. */
export function reasonOf(resolution: SecurityResolution): string {
  const { kind, ticker } = resolution;
  if (kind === 'unknown') return `No security is known by the ticker ${ticker}.`;
  if (kind === 'resolved') return `No CUSIP is known for ${ticker}, so its 13F owners are not known.`;
  return `The ticker ${ticker} is ambiguous: it could be ${resolution.candidates.join(' or ')}.`;
}
