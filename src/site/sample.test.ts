import { expect, test } from 'vitest';
import { verifyBrief } from '../domain/verify.ts';
import { SAMPLE, SAMPLE_FILE } from './sample.ts';

test('the brief on the landing page is a real one: all its ids follow from its content', () => {
  const brief = JSON.parse(SAMPLE_FILE.body.toString('utf8'));
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
