import { expect, test } from 'vitest';
import type { Brief } from '../wire/brief.ts';
import { briefInput, form4, observation } from './brief.sample.ts';
import { buildBrief } from './brief.ts';
import { type AddedEvidence, correctionOf, supersededBy } from './superseded.ts';

const before = buildBrief(
  briefInput({ observations: [observation()], ownershipFilings: [form4({ number: 1 })] }),
);

const filed = (n: number, isAmendment = false): AddedEvidence => ({
  evidenceId: `sec:13f:${n}`,
  isAmendment,
});

function replacedBy(change: (copy: Brief) => void, added: readonly AddedEvidence[] = []) {
  const after = { ...structuredClone(before), brief_id: 'ccm_later' };
  change(after);
  return supersededBy(before, after, { correction: correctionOf(before, after, false), added });
}

const counted = ({ institutional }: Brief): void => {
  institutional.counts.added += 1;
};

const onLaterDay = ({ insiders }: Brief): void => {
  insiders.window_end = '2020-04-01';
};

test('figures that changed with new filings name them, and only the amendments where there are some', () => {
  const news = [filed(1), filed(2)];
  expect(replacedBy(counted, news)).toEqual({
    by: 'ccm_later',
    reason: 'new_filings',
    evidenceIds: ['sec:13f:1', 'sec:13f:2'],
  });
  expect(replacedBy(counted, [...news, filed(3, true)])).toMatchObject({
    reason: 'amendment',
    evidenceIds: ['sec:13f:3'],
  });
  expect(
    replacedBy(
      counted,
      Array.from({ length: 99 }, (_, n) => filed(n)),
    ).evidenceIds,
  ).toHaveLength(20);
});

test('another day or coverage alone changes no figure', () => {
  expect(replacedBy(onLaterDay)).toMatchObject({ reason: 'day_or_coverage', evidenceIds: [] });
  expect(replacedBy(({ coverage }) => coverage.limitations.pop()).reason).toBe('day_or_coverage');
});

test('the same figures in the words of a later algorithm are told by the algorithm, also on another day', () => {
  const reworded = (copy: Brief): void => {
    copy.headline = 'In other words.';
    copy.manifest.algorithm_version = 'later';
  };
  expect(replacedBy(reworded)).toMatchObject({ reason: 'algorithm', evidenceIds: [] });
  expect(
    replacedBy((copy) => {
      reworded(copy);
      onLaterDay(copy);
    }).reason,
  ).toBe('algorithm');
});

test('figures that changed without a filing of their own are told by day, reading, algorithm and others', () => {
  const otherwise: Record<string, (copy: Brief) => void> = {
    day_or_coverage: onLaterDay,
    other_filings: () => undefined,
    algorithm: ({ manifest }) => {
      manifest.algorithm_version = 'later';
    },
    reparsed: ({ manifest }) => {
      for (const filing of manifest.filings) filing.parser_version = 'later';
    },
  };
  for (const [reason, change] of Object.entries(otherwise)) {
    const replaced = replacedBy((copy) => {
      counted(copy);
      if (reason === 'day_or_coverage') copy.manifest.evidence_digest = 'sha256:fewer';
      change(copy);
    });
    expect(replaced.reason).toBe(reason);
  }
});

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
