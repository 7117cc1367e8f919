import { AppError } from '../../errors.ts';
import { humanUrl, sourceUrl } from '../filing/filing.ts';
import { type Accession, evidenceIdOf13f, evidenceIdOfForm4 } from '../ids.ts';
import type { Evidence } from '../wire/brief.ts';
import type { Reading } from './content-id.ts';
import type { Legs } from './facts.ts';
import type { EvidenceRows, HolderFacts } from './holder-facts.ts';
import type { EvidenceSource } from './input.ts';
import { displayedTrades } from './insider-leg.ts';

/** The filings behind the displayed changes and trades, each once, in the order of citation. */
export function displayedAccessions({ holders, insiders }: Legs): Accession[] {
  return [
    ...new Set([
      ...accessionsOfChanges(holders),
      ...displayedTrades(insiders).flatMap((trade) => trade.accessions),
    ]),
  ];
}

/** The filings behind the displayed changes, in the order of citation. */
export function accessionsOfChanges({ leg }: Pick<HolderFacts, 'leg'>): Accession[] {
  return leg.changes.flatMap((change) => change.evidence_ids.map(accessionOf));
}

/**
 * Evidence of the accessions in their order. Throws `evidence_missing`, worth a
 * retry, when one of them was not loaded: a brief never cites what it cannot show.
 */
export function evidenceFor(
  accessions: readonly Accession[],
  sources: ReadonlyMap<Accession, EvidenceSource>,
): Evidence[] {
  return accessions.map((accession) => evidenceItem(loaded(sources.get(accession), accession)));
}

/** The source of a cited filing. Throws `evidence_missing` when it was not loaded. */
export function loaded(source: EvidenceSource | undefined, cited: string): EvidenceSource {
  if (source !== undefined) return source;
  throw new AppError('evidence_missing', `No evidence was loaded for ${cited}`, { retry: true });
}

export function evidenceIdOf({ kind, accession }: EvidenceSource): string {
  return kind === 'sec_13f' ? evidenceIdOf13f(accession) : evidenceIdOfForm4(accession);
}

/** A filing behind a brief as it was read then, with the table rows that were used of it. */
export type EvidenceRecord = EvidenceSource & Pick<EvidenceRows, 'rows'>;

/** All that a brief rests on, in the order of its ids. Throws `evidence_missing` like {@link evidenceFor}. */
export function evidenceRecords(
  behind: readonly EvidenceRows[],
  sources: ReadonlyMap<Accession, EvidenceSource>,
): EvidenceRecord[] {
  return behind.map(({ evidence_id, rows }) => {
    const accession = accessionOf(evidence_id);
    return { ...loaded(sources.get(accession), accession), rows };
  });
}

/** What the digest of all evidence covers of a filing. */
export function readingOf(source: EvidenceSource): Reading {
  const { parserVersion: parser_version, rawHash: raw_hash } = source;
  return { evidence_id: evidenceIdOf(source), raw_hash, parser_version };
}

/** `sec:13f:<accession>`, `sec:form4:<accession>`. */
export function accessionOf(evidenceId: string): Accession {
  return evidenceId.slice(evidenceId.lastIndexOf(':') + 1) as Accession;
}

/** The wire object of a filing (rule 8.6). URLs are rebuilt from ids, never taken from a feed. */
export function evidenceItem(source: EvidenceSource): Evidence {
  const { accession, cik } = source;
  return {
    evidence_id: evidenceIdOf(source),
    kind: source.kind,
    source: 'SEC EDGAR',
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
