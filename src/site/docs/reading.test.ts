import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../config.ts';
import { corroborate } from '../../domain/brief/corroboration.ts';
import { type OutcomeFacts, outcomeOf } from '../../domain/brief/outcome.ts';
import { REASON_DESCRIPTIONS } from '../../domain/brief/words/reason-descriptions.ts';
import { REASONS } from '../../domain/quality/quality.ts';
import { outcomeShape } from '../../domain/wire/brief.ts';
import { insidersShape, institutionalShape } from '../../domain/wire/brief-legs.ts';
import {
  CORROBORATION_LINES,
  INSIDER_LINES,
  INSIDER_STANCES,
  INSTITUTIONAL_LINES,
  OUTCOME_LINES,
  REASON_LINES,
} from './brief-tables.ts';
import { guidePage } from './guide.ts';
import { llmsText } from './llms.ts';

const page = String(guidePage({ ...loadConfig({}), siteUrl: 'https://example.test', sandbox: [] }));

describe('the tables of the guide', () => {
  it('name every outcome, and decide every case as the code does', () => {
    expect(new Set(OUTCOME_LINES.map(({ outcome }) => outcome))).toEqual(new Set(outcomeShape.options));
    for (const facts of everyFacts()) {
      const line = OUTCOME_LINES.find(({ given }) => applies(given, facts));
      expect(line?.outcome).toBe(outcomeOf(facts));
    }
  });

  it('name every stance of both legs', () => {
    const institutional = new Set(INSTITUTIONAL_LINES.map(({ stance }) => stance));
    expect(institutional).toEqual(new Set(institutionalShape.shape.stance.options));
    const insiders = new Set(INSIDER_LINES.map(({ stance }) => stance));
    expect(insiders).toEqual(new Set(insidersShape.shape.stance.options));
  });

  it('say that a net of at least 20 percent of the gross decides', () => {
    const stances = INSTITUTIONAL_LINES.filter(({ when }) => when.startsWith('Both')).map(
      ({ stance }) => stance,
    );
    expect(stances).toEqual(['net_increases', 'net_decreases', 'mixed']);
    expect(page).toContain('at least 20 % of the gross');
  });

  it('have a word of corroboration for every pair of stances', () => {
    expect(CORROBORATION_LINES).toHaveLength(institutionalShape.shape.stance.options.length);
    for (const { institutional, words } of CORROBORATION_LINES) {
      expect(words).toEqual(INSIDER_STANCES.map((insiders) => corroborate(institutional, insiders)));
    }
  });

  it('list every quality reason with its severity, its effect and what it says', () => {
    expect(REASON_LINES.map(({ reason }) => reason)).toEqual(Object.keys(REASONS));
    for (const reason of Object.keys(REASONS)) expect(page).toContain(`<code>${reason}</code>`);
    expect(page).toContain('excluded from all figures of a brief');
    expect(page).toContain('stays in the sums of its own report, such as <code>aum_cents</code>');
    expect(page.match(/may suppress<\/td>/g)).toHaveLength(
      REASON_LINES.filter(({ maySuppress }) => maySuppress).length,
    );
    for (const description of Object.values(REASON_DESCRIPTIONS)) {
      expect(llmsText('https://example.test')).toContain(description);
    }
  });

  it('say which reasons may suppress the direction: uncertain share counts, never values or trades', () => {
    const may = new Map(REASON_LINES.map(({ reason, maySuppress }) => [reason, maySuppress]));
    expect(may.get('split_suspected')).toBe(true);
    expect(may.get('value_unit_unverified')).toBe(false);
    expect(page.match(/<code>uncertain<\/code> for values only/g)).toHaveLength(1);
    const llms = llmsText('https://example.test');
    expect(llms).toContain('`value_unit_unverified` (warning, uncertain for values only)');
    expect(llms).toContain('`split_suspected` (warning, uncertain):');
    expect(may.get('cusip_malformed')).toBe(false);
    expect(REASON_LINES.filter(({ leg, maySuppress }) => leg === 'form4' && maySuppress)).toEqual([]);
  });
});

function everyFacts(): OutcomeFacts[] {
  const both = [true, false];
  return (['resolved', 'unknown', 'ambiguous'] as const).flatMap((resolution) =>
    [0, 3].flatMap((observed) =>
      both.flatMap((isSuppressed) =>
        both.map((isLimited) => ({ resolution, observed, isSuppressed, isLimited })),
      ),
    ),
  );
}

/** A line is about the one fact that differs from a brief without limits. */
function applies(given: OutcomeFacts, facts: OutcomeFacts): boolean {
  if (given.resolution !== 'resolved') return facts.resolution === given.resolution;
  if (given.observed === 0) return facts.observed === 0;
  if (given.isSuppressed) return facts.isSuppressed;
  return given.isLimited ? facts.isLimited : true;
}
