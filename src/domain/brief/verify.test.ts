import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Brief } from '../wire/brief.ts';
import { briefInput, form4, observation } from './brief.sample.ts';
import { buildBrief } from './brief.ts';
import { withOwnIds } from './forge.sample.ts';
import { readOnce, verifyBrief } from './verify.ts';

const brief = buildBrief(
  briefInput({
    observations: [observation(), observation({ currentShares: 0n })],
    ownershipFilings: [form4({ number: 1 })],
  }),
);
const text = JSON.stringify(brief);
const copy = (): Brief => JSON.parse(text) as Brief;
const whats = (json: unknown): string[] => verifyBrief(json).problems.map(({ what }) => what);

describe('verifyBrief', () => {
  test('accepts the brief and the envelope of the API', () => {
    expect(verifyBrief(JSON.parse(text))).toEqual({ ok: true, problems: [] });
    expect(verifyBrief({ data: JSON.parse(text) })).toEqual({ ok: true, problems: [] });
  });

  test('refuses an envelope with more beside the brief', () => {
    expect(verifyBrief({ data: JSON.parse(text), headline: 'another' }).ok).toBe(false);
  });

  test('a text with a member twice is not read: each reader would take another one', () => {
    expect(readOnce(` ${text} `)).toEqual(JSON.parse(text));
    for (const plain of ['[{"a\\":":[1,{"":"x:\\"y"}]}, ":"]', '{"__proto__":1}', '0'])
      expect(readOnce(plain)).toEqual(JSON.parse(plain));
    expect(() => readOnce(text.replace('{', '{"headline":"another",'))).toThrow('twice');
    expect(() => readOnce('[{"a":{"b":1,"\\u0062":2}}]')).toThrow('twice');
  });

  test('accepts any order of keys, another time of computing and of fetching', () => {
    const reversed = JSON.parse(text, (_key, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).reverse())
        : value,
    ) as Brief;
    const evidence = reversed.evidence.map((item) => ({ ...item, retrieved_at: '2030-01-01T00:00:00Z' }));
    expect(verifyBrief({ ...reversed, evidence, generated_at: '2030-01-01T00:00:00.000Z' }).ok).toBe(true);
  });

  test('says which ids differ when a number, a claim or the manifest was changed', () => {
    const number = copy();
    number.institutional.counts.added += 1;
    expect(whats(number)).toEqual(expect.arrayContaining(['facts_id', 'brief_id', 'coverage.thirteen_f']));

    const claim = copy();
    const [first] = claim.manifest.claims;
    if (first === undefined) throw new Error('the brief claims something');
    first.values['share_delta'] = '1';
    const ofClaim = ['manifest.claims[0].claim_id', 'manifest.manifest_id', 'brief_id', 'claims of changes'];
    expect(whats(claim)).toEqual(ofClaim);

    const manifest = copy();
    manifest.manifest.evidence_ids.pop();
    expect(whats(manifest)).toEqual(
      expect.arrayContaining(['manifest.manifest_id', 'manifest.evidence_ids']),
    );
  });

  test('names the recomputed and the stated id', () => {
    const forged = { ...copy(), brief_id: `ccm_${'0'.repeat(64)}` };
    expect(verifyBrief(forged).problems).toEqual([
      { what: 'brief_id', expected: brief.brief_id, actual: forged.brief_id },
    ]);
  });

  test('an added field is a change too', () => {
    expect(whats({ ...copy(), note: 'x' })).toEqual(['canonical form']);
    const claimed = copy();
    Object.assign(claimed.manifest, { note: 'x' });
    expect(whats(claimed)).toEqual(['canonical form']);
  });

  test('another id than the expected one is a problem', () => {
    expect(verifyBrief(copy(), brief.brief_id).ok).toBe(true);
    const other = `ccm_${'0'.repeat(64)}`;
    expect(verifyBrief(copy(), other).problems).toEqual([
      { what: 'expected brief_id', expected: other, actual: brief.brief_id },
    ]);
  });

  test.each([
    ['who moved', 'HUBS: Managers cut a net 2,000 shares'],
    ['how much', 'HUBS: Holdings hardly changed (net +7 shares)'],
    ['how many', 'HUBS: 9 holders up'],
    ['what one moved', 'HUBS: A Fund added 7,777,777,777 shares (+10 %)'],
    ['what one sold', 'HUBS: A Fund exited its position of 3 shares'],
    ['what all sold', 'HUBS: 3 managers exited (3 shares)'],
    ['the money', 'HUBS: In 180 days 2 insiders bought $7.0 bn'],
    ['the ticker', 'AAPL: '],
  ])('a headline that contradicts the numbers is found, also with new ids: %s', (_name, headline) => {
    const forged = withOwnIds(JSON.stringify({ ...copy(), headline }));
    expect(whats(JSON.parse(forged))).toEqual(['headline']);
  });

  test.each([
    ['null', null],
    ['a text', 'ccm_'],
    ['an error of the API', { error: 'not_found', message: 'No' }],
    ['an empty envelope', { data: {} }],
    [
      'a claim without values',
      { ...copy(), manifest: { ...copy().manifest, claims: [{ claim_id: 'claim_' }] } },
    ],
  ])('%s is a problem, not an exception', (_name, json) => {
    expect(verifyBrief(json).ok).toBe(false);
  });

  test('no JSON makes it throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect(verifyBrief(json).ok).toBe(false);
      }),
    );
  });
});
