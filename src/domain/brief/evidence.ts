import { AppError } from '../../errors.ts';
import { humanUrl, sourceUrl } from '../filing/edgar-url.ts';
import { type Accession, evidenceIdOf13f, evidenceIdOfForm4 } from '../ids.ts';
import type { Evidence } from '../wire/brief.ts';
import type { EvidenceSource } from './input.ts';

export const EVIDENCE_SOURCE = 'SEC EDGAR';

/** The wire object of a filing (rule 8.6). URLs are rebuilt from ids, never taken from a feed. */
export function evidenceItem(source: EvidenceSource): Evidence {
  const { accession, cik } = source;
  return {
    evidence_id: source.kind === 'sec_13f' ? evidenceIdOf13f(accession) : evidenceIdOfForm4(accession),
    kind: source.kind,
    source: EVIDENCE_SOURCE,
    accession_number: accession,
    form_type: source.formType,
    source_url: sourceUrl(cik, accession),
    human_url: humanUrl(cik, accession),
    published_at: { ...source.publishedAt },
    retrieved_at: source.retrievedAt,
    parser_version: source.parserVersion,
    raw_hash: source.rawHash,
  };
}

/**
 * Evidence of the accessions in the order of citation, each once. Throws `evidence_missing`, worth a
 * retry, when one of them was not loaded: a brief never cites what it cannot show.
 */
export function evidenceFor(
  accessions: readonly Accession[],
  sources: ReadonlyMap<Accession, EvidenceSource>,
): Evidence[] {
  return [...new Set(accessions)].map((accession) => {
    const source = sources.get(accession);
    if (source === undefined) {
      throw new AppError('evidence_missing', `No evidence was loaded for ${accession}`, { retry: true });
    }
    return evidenceItem(source);
  });
}
