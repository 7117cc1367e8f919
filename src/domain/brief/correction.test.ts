import { expect, test } from 'vitest';
import type { Brief } from '../wire/brief.ts';
import { briefInput, form4, observation } from './brief.sample.ts';
import { buildBrief } from './brief.ts';
import { correctionOf } from './correction.ts';

const brief = buildBrief(
  briefInput({
    observations: [observation(), observation({ currentShares: 0n })],
    ownershipFilings: [form4({ number: 1 })],
  }),
);
const [first, second] = brief.manifest.filings.map(({ evidence_id }) => evidence_id);

type Change = (copy: Brief) => void;

function changed(...changes: Change[]): Brief {
  const copy = structuredClone(brief);
  for (const change of changes) change(copy);
  return copy;
}

const otherFigures: Change = ({ institutional }) => {
  institutional.counts.added += 1;
};
const otherParser: Change = ({ manifest }) => {
  for (const filing of manifest.filings) if (filing.evidence_id === second) filing.parser_version = 'later';
};
const otherFilings: Change = ({ manifest }) => {
  manifest.evidence_digest = 'sha256:other';
};
const otherAlgorithm: Change = ({ manifest }) => {
  manifest.algorithm_version = 'later';
};
const otherDay: Change = ({ insiders, institutional }) => {
  insiders.window_end = '2020-04-01';
  institutional.stale_manager_observations += 1;
};

const correction = (after: Brief, wasReparsed = false) => correctionOf(brief, after, wasReparsed);

test('other figures of filings that another parser read are a correction, which names these', () => {
  expect(first).not.toBe(second);
  const parser = { cause: 'parser', evidenceIds: [second] };
  expect(correction(changed(otherFigures, otherParser))).toEqual(parser);
  expect(correction(changed(otherFigures, otherParser, otherFilings))).toEqual(parser);
});

test('other figures of the same filings are one of the algorithm, or of a parser after a reparse', () => {
  const algorithm = { cause: 'algorithm', evidenceIds: [] };
  expect(correction(changed(otherFigures, otherAlgorithm), true)).toEqual(algorithm);
  expect(correction(changed(otherFigures), true)).toEqual({ cause: 'parser', evidenceIds: [] });
  expect(correction(changed(otherFigures))).toBeNull();
});

test('a field that the earlier brief does not have yet corrects nothing', () => {
  const earlier = changed(({ institutional, entity }) => {
    Reflect.deleteProperty(institutional, 'totals');
    for (const one of institutional.changes) Reflect.deleteProperty(one, 'weight_pct');
    Reflect.deleteProperty(entity, 'cik');
  });
  expect(correctionOf(earlier, changed(otherAlgorithm), false)).toBeNull();
  expect(correctionOf(earlier, changed(otherAlgorithm, otherFigures), false)).not.toBeNull();
});

test('equal figures, another day and other filings correct nothing', () => {
  expect(correction(changed(otherParser, otherAlgorithm), true)).toBeNull();
  expect(correction(changed(otherDay, otherParser), true)).toBeNull();
  expect(correction(changed(otherFigures, otherFilings, otherAlgorithm), true)).toBeNull();
});
