import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/runs.ts';
import type { IsoDate, Ticker } from '../ids.ts';
import type { SecurityResolution } from '../security/mapping.ts';
import { type Brief, briefShape } from '../wire/brief.ts';
import {
  accessionNo,
  briefInput,
  cikOf,
  corpus,
  form4,
  observation,
  reportingOwner,
  resolution,
} from './brief.sample.ts';
import { buildBrief } from './brief.ts';
import type { BriefInput } from './input.ts';

const observations = [
  ...Array.from({ length: 10 }, (_, n) => observation({ currentShares: BigInt(2_000 + n) })),
  observation({ currentShares: 0n, currentValueCents: 0n, reasons: ['confidential_omitted'] }),
  observation({ currentShares: 1_000n }),
  observation({ comparable: false }),
  observation({ reasons: ['cusip_checksum_failed'] }),
];
const ownershipFilings = [
  ...Array.from({ length: 9 }, (_, n) =>
    form4({ number: n, owners: [reportingOwner(n)], rows: [{ shares: `${n + 1}` }] }),
  ),
  form4({
    number: 20,
    isAmendment: true,
    filed: '2020-03-09',
    owners: [reportingOwner(3)],
    rows: [{ shares: '44' }],
  }),
  form4({
    number: 21,
    owners: [reportingOwner(5), reportingOwner(6)],
    rows: [{ shares: '6' }, { code: 'P', equitySwap: true }],
  }),
];
const full = briefInput({ observations, ownershipFilings });

const unknown: SecurityResolution = { kind: 'unknown', ticker: 'HUBS' as Ticker };
const ambiguous: SecurityResolution = {
  kind: 'ambiguous',
  ticker: 'HUBS' as Ticker,
  candidates: ['One', 'Two'],
};

const INPUTS: [string, BriefInput][] = [
  ['both legs', full],
  ['no observation', briefInput({ ownershipFilings })],
  ['no trade', briefInput({ observations })],
  ['nothing', briefInput()],
  ['an unknown ticker', briefInput({ observations, ownershipFilings, resolution: unknown })],
  ['an ambiguous ticker', briefInput({ observations, ownershipFilings, resolution: ambiguous })],
  ['no CUSIP', briefInput({ observations, ownershipFilings, resolution: resolution({ cusip: null }) })],
  ['no issuer', briefInput({ observations, ownershipFilings, resolution: resolution({ issuerCik: null }) })],
  [
    'an empty corpus',
    briefInput({ corpus: corpus({ latestReportedQuarterEnd: null, coverageStart: null }) }),
  ],
];

describe.each(INPUTS)('a brief of %s', (_name, input) => {
  const brief = buildBrief(input);

  test('has the shape of the specification, and survives JSON', () => {
    expect(briefShape.parse(JSON.parse(JSON.stringify(brief)))).toEqual(brief);
  });

  test('counts every observation', () => {
    const { institutional, coverage } = brief;
    const sum = Object.values(institutional.counts).reduce((a, b) => a + b, 0);
    expect(institutional.tracked_managers_observed).toBe(sum);
    expect(coverage.thirteen_f.observations_displayed).toBe(institutional.changes.length);
    expect(brief.insiders.counts.priced + brief.insiders.counts.unpriced).toBe(
      brief.insiders.counts.buys + brief.insiders.counts.sells,
    );
  });

  test('cites only what its manifest lists, and has evidence for all that it displays', () => {
    const { institutional, insiders, quality_artifacts, manifest, evidence, evidence_scope } = brief;
    const displayed = [...institutional.changes, ...insiders.transactions].flatMap(
      (item) => item.evidence_ids,
    );
    const claimed = manifest.claims.flatMap((claim) => claim.evidence_ids ?? []);
    const examples = quality_artifacts.groups.flatMap(({ examples }) =>
      examples.flatMap((e) => e.evidence_ids),
    );
    expect(new Set(evidence.map(({ evidence_id }) => evidence_id))).toEqual(new Set(displayed));
    expect(manifest.evidence_ids).toEqual(expect.arrayContaining([...displayed, ...claimed, ...examples]));
    expect(manifest.evidence_ids).toEqual([...new Set(manifest.evidence_ids)].sort());
    expect(manifest.filings.map(({ evidence_id }) => evidence_id)).toEqual([...new Set(displayed)].sort());
    expect(manifest.evidence_id_count).toBe(manifest.evidence_ids.length);
    expect(evidence_scope.returned_object_count).toBe(evidence.length);
    expect(evidence_scope.manifest_evidence_id_count).toBe(manifest.evidence_ids.length);
    for (const { evidence_ids, evidence_reference } of manifest.claims) {
      expect([evidence_ids, evidence_reference].filter((proof) => proof !== undefined)).toHaveLength(1);
      expect(evidence_reference?.evidence_id_count ?? manifest.evidence_ids.length).toBe(
        manifest.evidence_ids.length,
      );
    }
  });
});

describe('buildBrief', () => {
  test('shows at most eight changes and trades, and its numbers cover all', () => {
    const { institutional, insiders, coverage, manifest } = buildBrief(full);
    expect(institutional.changes).toHaveLength(8);
    expect(institutional.counts).toMatchObject({ added: 10, exited: 1, unchanged: 1, baseline_only: 1 });
    expect(insiders.transactions).toHaveLength(8);
    expect(insiders.counts).toMatchObject({ buys: 0, sells: 9, distinct_sellers: 8 });
    expect([coverage.thirteen_f.truncated, coverage.form4.truncated]).toEqual([true, true]);
    expect(manifest.quality).toMatchObject({ institutional_truncated: true, form4_truncated: true });
    expect(coverage.thirteen_f).toMatchObject({
      observations_total: 14,
      managers_with_comparable_change: 11,
    });
  });

  test('leaves out what is uncertain or unusable, and says so', () => {
    const { quality_artifacts, coverage } = buildBrief(full);
    expect(quality_artifacts.uncertain_observations).toBe(1);
    expect(quality_artifacts.groups.map(({ leg, reason }) => `${leg} ${reason}`)).toEqual([
      'thirteen_f confidential_omitted',
      'thirteen_f cusip_checksum_failed',
      'thirteen_f no_prior_comparable_filing',
      'form4 duplicate_trade',
      'form4 equity_swap',
      'form4 possible_offering',
      'form4 superseded_by_amendment',
    ]);
    expect(coverage.limitations).toContain(
      '1 uncertain observation is left out of the direction; see quality_artifacts.',
    );
  });

  test('uncertain changes that outweigh the clear ones remove the direction and name their group', () => {
    const split = observation({ currentShares: 90_000n, reasons: ['split_suspected'] });
    const brief = buildBrief(briefInput({ observations: [observation(), split] }));
    expect([brief.outcome, brief.institutional.stance]).toEqual(['uncertain', 'not_determined']);
    expect(brief.quality_artifacts.suppresses_direction).toBe(true);
    expect(brief.quality_artifacts.groups[0]).toMatchObject({
      reason: 'split_suspected',
      suppresses_direction: true,
      observation_count: 1,
      examples: [{ fund: { name: split.name, cik: split.cik }, quarter_end: '2019-12-31' }],
    });
  });

  test('an unknown ticker is no_data with an empty entity and no claim', () => {
    const brief = buildBrief(briefInput({ observations, ownershipFilings, resolution: unknown }));
    expect([brief.outcome, brief.entity]).toEqual([
      'no_data',
      { ticker: '', name: '', cusip: '', cik: null },
    ]);
    expect([brief.institutional.stance, brief.insiders.stance]).toEqual(['none_found', 'not_available']);
    expect([brief.manifest.claims, brief.evidence]).toEqual([[], []]);
  });

  test('an ambiguous ticker is refused, with its candidates in a limitation', () => {
    const brief = buildBrief(briefInput({ resolution: ambiguous }));
    expect(brief.outcome).toBe('refused');
    expect(brief.coverage.limitations[0]).toBe(
      'HUBS stands for more than one issuer around 2020-03-31: One; Two.',
    );
  });

  test('claims: one for each displayed change, both stances and the corroboration', () => {
    const { manifest, institutional } = buildBrief(full);
    expect(manifest.claims.map(({ kind }) => kind)).toEqual([
      ...institutional.changes.map(() => 'institutional_change'),
      'institutional_stance',
      'insider_stance',
      'corroboration',
    ]);
    expect(new Set(manifest.claims.map(({ claim_id }) => claim_id)).size).toBe(manifest.claims.length);
  });

  test('refuses to cite a filing whose evidence was not loaded', () => {
    expect(() => buildBrief({ ...full, evidence: new Map() })).toThrow(/No evidence was loaded/);
  });

  test('evidence has the details of the filing and its EDGAR addresses', () => {
    const seen = observation({ cik: cikOf(1_067_983), accessions: [accessionNo(7)] });
    const [evidence] = buildBrief(briefInput({ observations: [seen] })).evidence;
    expect(evidence).toEqual({
      evidence_id: 'sec:13f:0000000001-20-000007',
      kind: 'sec_13f',
      source: 'SEC EDGAR',
      accession_number: '0000000001-20-000007',
      form_type: '13F-HR',
      source_url: 'https://www.sec.gov/Archives/edgar/data/1067983/000000000120000007/',
      human_url:
        'https://www.sec.gov/Archives/edgar/data/1067983/000000000120000007/0000000001-20-000007-index.htm',
      published_at: { value: '2020-02-14', precision: 'day' },
      retrieved_at: '2020-03-30T08:00:00Z',
      parser_version: '1',
      raw_hash: null,
    });
  });
});

describe('ids', () => {
  const reordered = <T>(items: readonly T[]) => fc.shuffledSubarray([...items], { minLength: items.length });

  test('are the same for any order of observations, filings and evidence', { tags: ['property'] }, () => {
    const expected = buildBrief(full);
    const evidence = reordered([...full.evidence]).map((entries) => new Map(entries));
    fc.assert(
      fc.property(reordered(observations), reordered(ownershipFilings), evidence, (o, f, e) => {
        const { holders } = briefInput({ observations: o });
        expect(buildBrief({ ...full, holders, ownershipFilings: f, evidence: e })).toEqual(expected);
      }),
      { numRuns: runs(200) },
    );
  });

  test('do not depend on when the brief was computed or the filings were fetched', () => {
    const later = new Map(
      [...full.evidence].map(([id, source]) => [id, { ...source, retrievedAt: '2021-01-01T00:00:00Z' }]),
    );
    const brief = buildBrief({ ...full, generatedAt: '2021-01-01T00:00:00.000Z', evidence: later });
    expect(idsOf(brief)).toEqual(idsOf(buildBrief(full)));
  });

  test('change with the as-of date, the numbers, the bytes of a filing and the coverage', () => {
    const hash = `sha256:${'0'.repeat(64)}`;
    const hashed = new Map([...full.evidence].map(([id, source]) => [id, { ...source, rawHash: hash }]));
    const variants = [
      full,
      { ...full, asOf: '2020-03-30' as IsoDate },
      { ...full, holders: briefInput({ observations: observations.slice(1) }).holders },
      { ...full, evidence: hashed },
      { ...full, corpus: corpus({ sourceComplete: false }) },
    ];
    expect(new Set(variants.map((variant) => buildBrief(variant).brief_id)).size).toBe(variants.length);
  });
});

function idsOf({ brief_id, manifest }: Brief): string[] {
  return [brief_id, manifest.manifest_id, ...manifest.claims.map((claim) => claim.claim_id)];
}
