import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ALGORITHM_VERSION } from '../domain/brief/manifest.ts';
import { verifyBrief } from '../domain/brief/verify.ts';
import { briefShape } from '../domain/wire/brief.ts';
import { SAMPLE, SAMPLE_FILE } from './sample.ts';

test('the brief on the landing page is a real one: all its ids follow from its content', () => {
  const brief = JSON.parse(SAMPLE_FILE.body.toString('utf8'));
  expect(briefShape.parse(brief)).toEqual(brief);
  expect(verifyBrief(brief)).toEqual({ ok: true, problems: [] });
  expect(verifyBrief({ ...brief, headline: `${brief.headline} ` }).ok).toBe(false);
});

test('each change that is shown leads to its filing at the SEC', () => {
  const links = new Map(SAMPLE.evidence.map((item) => [item.evidence_id, item.human_url]));
  expect(SAMPLE.institutional.changes.length).toBeGreaterThan(0);
  for (const { evidence_ids } of SAMPLE.institutional.changes) {
    expect(links.get(evidence_ids[0] ?? '')).toMatch(/^https:\/\/www\.sec\.gov\/Archives\/edgar\/data\//);
  }
});

test('it is of the algorithm in use, and the one that README shows and that the examples have: else run npm run examples', () => {
  const brief = JSON.parse(SAMPLE_FILE.body.toString('utf8'));
  expect(brief.manifest.algorithm_version).toBe(ALGORITHM_VERSION);
  const example = readFileSync(new URL('../api/examples/capital_change_brief.json', import.meta.url), 'utf8');
  expect(JSON.parse(example).data.brief_id).toBe(SAMPLE.brief_id);
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(`"brief_id": "${SAMPLE.brief_id}"`);
  expect(readme).toContain(`"headline": "${SAMPLE.headline}"`);
});
