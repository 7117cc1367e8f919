import type { Ownership } from '../../domain/filing/filing.ts';
import type { StoredFiling } from '../../domain/filing/stored.ts';

/** An ownership document is stored whole, under its issuer. */
export function storedOwnership(filing: Ownership): StoredFiling {
  const { issuer, owners } = filing;
  const reportingOwnerCiks = owners.map((owner) => owner.cik);
  return { cik: issuer.cik, company: issuer.name, issuer, reportingOwnerCiks, content: filing, rows: null };
}
