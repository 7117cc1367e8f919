import { expect, test } from 'vitest';
import { briefInput, form4, observation } from '../brief.sample.ts';
import { buildBrief } from '../brief.ts';
import { differencesOf } from './differences.ts';

const before = buildBrief(
  briefInput({ observations: [observation()], ownershipFilings: [form4({ number: 1 })] }),
);

const textsOf = (after: typeof before) => differencesOf(before, after).map(({ text }) => text);

test('a brief differs from itself in nothing', () => {
  expect(differencesOf(before, structuredClone(before))).toEqual([]);
});

test('says what changed of stance, counts, managers, trades, limitations and evidence', () => {
  const after = structuredClone(before);
  const [change] = after.institutional.changes;
  const [trade] = after.insiders.transactions;
  if (change === undefined || trade === undefined) throw new Error('the brief shows a change and a trade');
  const { name } = change.fund;
  after.headline = 'Other.';
  after.manifest.algorithm_version = 'another';
  after.institutional.stance = 'mixed';
  after.institutional.counts.exited += 2;
  after.institutional.changes = [
    { ...change, share_delta: '1234567', action: 'added' },
    {
      ...change,
      fund: { ...change.fund, cik: '0000000099', name: 'Another' },
      share_delta: '-5',
      action: 'reduced',
    },
  ];
  after.insiders.transactions = [];
  after.coverage.limitations.push('Something else is missing.');
  after.manifest.evidence_digest = 'sha256:other';
  const texts = textsOf(after);
  expect(texts).toEqual([
    `The algorithm was ${before.manifest.algorithm_version} and is another.`,
    `The headline was "${before.headline}" and is "Other."`,
    `The institutional stance was ${before.institutional.stance} and is mixed.`,
    `The institutional count exited was ${before.institutional.counts.exited} and is ${before.institutional.counts.exited + 2}.`,
    expect.stringMatching(/^Another is shown now: cut 5 shares in the quarter ended /),
    expect.stringContaining(`${name}: `),
    expect.stringMatching(/ is not shown any more\.$/),
    'New limitation: Something else is missing.',
    expect.stringMatching(/^It rested on /),
  ]);
  expect(texts[5]).toMatch(/before, added 1,234,567 shares in the quarter ended .* now\.$/);
});
