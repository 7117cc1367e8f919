import { expect, test } from 'vitest';
import type { Claim } from '../wire/brief.ts';
import { bundledBriefs, coveredText, forgeriesOf, withOwnIds } from './forge.sample.ts';
import { SAID_ONCE } from './said-once.sample.ts';
import { verifyBrief } from './verify.ts';

const briefs = bundledBriefs();
const originals = new Set(briefs.map((brief) => coveredText(JSON.stringify(brief))));

/** Forgeries that pass, by whether an expected id is given, and whether the ids were computed anew. */
function passing(count: number, seed: number) {
  const found = { changed: new Set<string>(), forged: new Set<string>(), expected: new Set<string>() };
  for (const { member, json, id } of forgeriesOf(briefs, count, seed)) {
    if (!originals.has(coveredText(json)) && verifyBrief(JSON.parse(json)).ok) found.changed.add(member);
    const forged = withOwnIds(json);
    if (originals.has(coveredText(forged))) continue;
    if (verifyBrief(JSON.parse(forged)).ok) found.forged.add(member);
    if (verifyBrief(JSON.parse(forged), id).ok) found.expected.add(member);
  }
  return found;
}

function expectNoneOf({ changed, forged, expected }: ReturnType<typeof passing>): void {
  expect([...changed]).toEqual([]);
  expect([...expected]).toEqual([]);
  expect([...forged].filter((member) => !SAID_ONCE.has(member))).toEqual([]);
}

test('no changed brief passes, and with new ids only what a brief says once', () => {
  expectNoneOf(passing(200, 1));
});

test('no headline names another quarter or doubt, also with new ids', () => {
  const changes: [RegExp, string][] = [
    [/[0-9]{4}Q[1-4]/, '2024Q4'],
    [/ \(.*? at /, ' (9 managers still at '],
    [/, 1 in doubt/, ''],
    [/ down\. /, ' down, 4 in doubt. '],
    [/: both changes/, ': all 3 changes'],
    [/\. /, `. The direction of managers is in doubt${'😀'.repeat(60)}: all 99 changes are uncertain. `],
  ];
  const forged = briefs.flatMap((brief) =>
    changes
      .map(([from, to]) => brief.headline.replace(from, to))
      .filter((headline) => headline !== brief.headline)
      .map((headline) => withOwnIds(JSON.stringify({ ...brief, headline }))),
  );
  expect(forged.length).toBeGreaterThan(20);
  expect(forged.filter((json) => verifyBrief(JSON.parse(json)).ok)).toEqual([]);
});

test('no claim leaves out a quarter that was compared, also with new ids', () => {
  const isAbout = ({ values }: Claim) => values['periods_compared'] !== undefined;
  for (const periods_compared of [null, []]) {
    const forged = briefs
      .filter(({ institutional: { counts, tracked_managers_observed: all } }) => all > counts.baseline_only)
      .map((brief) => {
        const claims = brief.manifest.claims.map((claim) =>
          isAbout(claim) ? { ...claim, values: { ...claim.values, periods_compared } } : claim,
        );
        return withOwnIds(JSON.stringify({ ...brief, manifest: { ...brief.manifest, claims } }));
      });
    expect(forged.length).toBeGreaterThan(3);
    expect(forged.filter((json) => verifyBrief(JSON.parse(json)).ok)).toEqual([]);
  }
});

test.each([2, 3, 4, 5])('the same of a thousand others: %i', { tags: ['long'] }, (seed) => {
  expectNoneOf(passing(1_000, seed));
});
