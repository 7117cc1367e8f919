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
    `Algorithm: ${before.manifest.algorithm_version} before, another now.`,
    `Headline before: "${before.headline}" Now: "Other."`,
    `Direction of managers: ${before.institutional.stance.replaceAll('_', ' ')} before, mixed now.`,
    `Managers that exited: ${before.institutional.counts.exited} before, ${before.institutional.counts.exited + 2} now.`,
    expect.stringMatching(/^Another is shown now: cut 5 shares in the quarter ended /),
    expect.stringContaining(`${name}: `),
    expect.stringMatching(/^The (purchase|sale) of [\d,]+ shares on .* is not shown any more\.$/),
    'New limitation: Something else is missing.',
    expect.stringMatching(/^It still rests on \d+ filings?, but not the same\.$/),
  ]);
  expect(texts[5]).toMatch(/before, added 1,234,567 shares in the quarter ended .* now\.$/);
});

test('says counts and codes in words, without names of fields', () => {
  const after = structuredClone(before);
  for (const counts of [after.institutional.counts, after.insiders.counts] as Record<string, number>[])
    for (const name of Object.keys(counts)) counts[name] = (counts[name] ?? 0) + 1;
  after.insiders.stance = 'net_buying';
  after.corroboration = 'not_comparable';
  const texts = textsOf(after);
  const { buys } = before.insiders.counts;
  expect(texts).toContain(`Insider purchases: ${buys} before, ${buys + 1} now.`);
  for (const text of texts) expect(text).not.toContain('_');
  expect(texts.length).toBeGreaterThan(12);
});
