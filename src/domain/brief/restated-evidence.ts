import { humanUrl, sourceUrl } from '../filing/edgar-url.ts';
import type { Cik } from '../ids.ts';
import type { Brief } from '../wire/brief.ts';
import type { Derived } from './derived-member.ts';
import { accessionOf } from './evidence.ts';
import { MAX_EVIDENCE_IDS } from './holder-facts.ts';

export function* ofEvidence(brief: Brief): Generator<Derived> {
  const { institutional, insiders, evidence, manifest, evidence_scope } = brief;
  const cited = [...institutional.changes, ...insiders.transactions].flatMap(
    ({ evidence_ids }) => evidence_ids,
  );
  yield ['evidence', [...new Set(cited)], evidence.map(({ evidence_id }) => evidence_id)];
  for (const [at, item] of evidence.entries()) {
    const accession = accessionOf(item.evidence_id);
    const cik = /\/data\/([1-9][0-9]{0,9})\//.exec(item.source_url)?.[1] as Cik;
    const { kind, accession_number, source_url, human_url } = item;
    const form = { sec_13f: '13f', sec_form4: 'form4' }[kind];
    yield [`evidence[${at}].evidence_id`, `sec:${form}:${accession_number}`, item.evidence_id];
    const urls = [sourceUrl(cik, accession), humanUrl(cik, accession)];
    yield [`evidence[${at}] addresses`, urls, [source_url, human_url]];
  }
  const filings = evidence.map(readingOf).sort((a, b) => (a.evidence_id < b.evidence_id ? -1 : 1));
  yield ['manifest.filings', filings, manifest.filings.map(readingOf)];
  yield ['evidence_scope.returned_object_count', evidence.length, evidence_scope.returned_object_count];
  const listed = manifest.evidence_ids.length;
  yield ['evidence_scope.manifest_evidence_id_count', listed, evidence_scope.manifest_evidence_id_count];
}

type Reading = Pick<Brief['evidence'][number], 'evidence_id' | 'raw_hash' | 'parser_version'>;

function readingOf({ evidence_id, raw_hash, parser_version }: Reading): Reading {
  return { evidence_id, raw_hash, parser_version };
}

/** Up to a number of ids the manifest lists all, beyond that those on display. */
export function* ofManifest({
  manifest,
  evidence,
  evidence_scope,
  quality_artifacts,
}: Brief): Generator<Derived> {
  const { evidence_ids: ids, evidence_id_count } = manifest;
  const isComplete = evidence_id_count <= MAX_EVIDENCE_IDS;
  const examples = quality_artifacts.groups.flatMap(({ examples }) => examples);
  const displayed = [
    ...evidence.map((item) => item.evidence_id),
    ...examples.flatMap((item) => item.evidence_ids),
  ];
  yield [
    'evidence_scope.aggregate_claim_evidence_ids_complete',
    isComplete,
    evidence_scope.aggregate_claim_evidence_ids_complete,
  ];
  const expected = new Set(isComplete ? [...ids, ...displayed] : displayed);
  yield ['manifest.evidence_ids', [...expected].sort(), ids];
  if (isComplete) yield ['manifest.evidence_id_count', ids.length, evidence_id_count];
}
