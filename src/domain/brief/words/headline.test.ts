import { describe, expect, test } from 'vitest';
import type { QuarterEnd } from '../../ids.ts';
import type { Brief } from '../../wire/brief.ts';
import { AS_OF, briefInput, corpus, form4, observation, QUARTER, resolution } from '../brief.sample.ts';
import { buildBrief } from '../brief.ts';
import type { BriefInput } from '../input.ts';

const BEFORE = '2019-09-30' as QuarterEnd;
const open = corpus({ filingWindow: 'open' });
const carried = (fields = {}) => observation({ quarterEnd: BEFORE, ...fields });
const brief = (fields: Partial<BriefInput>): Brief => buildBrief(briefInput(fields));
const managersIn = ({ headline }: Brief): string => headline.slice('HUBS: '.length).split('; ')[0] ?? '';

function claimOf({ manifest }: Brief, kind: Brief['manifest']['claims'][number]['kind']) {
  return manifest.claims.find((claim) => claim.kind === kind);
}

describe('the quarter that the headline and the claims name (rule 8.8)', () => {
  test('is the latest one when all compared reports are for it', () => {
    const built = brief({ observations: [observation(), observation({ previousShares: 2_000n })] });
    expect(managersIn(built)).toBe(
      `tracked managers increased their shares on balance in the quarter ended ${QUARTER} (0 initiated, 1 added, 0 reduced, 0 exited)`,
    );
    expect(claimOf(built, 'institutional_stance')).toMatchObject({
      subject: { latest_reported_quarter_end: QUARTER },
      values: { added: 1, periods_observed: [{ quarter_end: QUARTER, managers: 2 }] },
    });
  });

  test('is never the latest one when all reports are carried forward from the quarter before', () => {
    const built = brief({ corpus: open, observations: [carried(), carried()] });
    expect(managersIn(built)).toBe(
      `tracked managers increased their shares on balance in their latest reports, 2 carried forward from ${BEFORE} (0 initiated, 2 added, 0 reduced, 0 exited)`,
    );
    for (const kind of ['institutional_stance', 'corroboration'] as const) {
      expect(claimOf(built, kind)).toMatchObject({
        subject: { latest_reported_quarter_end: QUARTER },
        values: { periods_compared: [{ quarter_end: BEFORE, managers: 2 }] },
      });
    }
  });

  test('is both when only some reports are carried forward', () => {
    const built = brief({ corpus: open, observations: [observation(), carried(), carried()] });
    expect(managersIn(built)).toContain(
      `increased their shares on balance in their latest reports, 1 for ${QUARTER} and 2 carried forward from ${BEFORE} (`,
    );
    expect(claimOf(built, 'institutional_stance')?.values['periods_observed']).toEqual([
      { quarter_end: QUARTER, managers: 1 },
      { quarter_end: BEFORE, managers: 2 },
    ]);
  });

  test('is that of the comparable reports when the others are baselines', () => {
    const kept = carried({ currentShares: 1_000n });
    const built = brief({ corpus: open, observations: [observation({ comparable: false }), kept] });
    expect(managersIn(built)).toBe(
      `tracked managers kept their shares in their latest reports, 1 carried forward from ${BEFORE}`,
    );
    expect(claimOf(built, 'institutional_stance')?.values).toMatchObject({
      periods_observed: [
        { quarter_end: QUARTER, managers: 1 },
        { quarter_end: BEFORE, managers: 1 },
      ],
      periods_compared: [{ quarter_end: BEFORE, managers: 1 }],
    });
    expect(claimOf(built, 'corroboration')?.values['periods_compared']).toEqual([
      { quarter_end: BEFORE, managers: 1 },
    ]);
  });

  test('makes another claim from the same numbers in another quarter', () => {
    const { accessions } = observation();
    const ids = [QUARTER, BEFORE].map((quarterEnd) => {
      const same = observation({ quarterEnd, accessions });
      return claimOf(brief({ corpus: open, observations: [same] }), 'institutional_stance')?.claim_id;
    });
    expect(new Set(ids).size).toBe(2);
  });
});

describe('when no position was searched or none can be used', () => {
  test('without a CUSIP the brief does not say that no manager reported a position', () => {
    const built = brief({
      resolution: resolution({ cusip: null }),
      ownershipFilings: [form4({ number: 1 })],
    });
    expect(built.headline).toBe(
      `HUBS: 13F positions cannot be matched; insiders were net sellers in the 180 days to ${AS_OF} (0 purchases, 1 sale).`,
    );
    expect(built.manifest.claims.map(({ kind }) => kind)).toEqual(['insider_stance']);
  });

  test('without any report the brief says so', () => {
    const built = brief({ corpus: corpus({ latestReportedQuarterEnd: null }) });
    expect(managersIn(built)).toBe('no 13F report is stored');
  });

  test('observations that are all excluded are unusable, not absent', () => {
    const built = brief({ observations: [observation({ reasons: ['amount_negative'] })] });
    expect(managersIn(built)).toBe(
      `tracked managers reported no usable position in the quarter ended ${QUARTER}`,
    );
  });

  test('with a CUSIP and reports, no observation means no position', () => {
    expect(managersIn(brief({}))).toBe(
      `no tracked manager reported a position in the quarter ended ${QUARTER}`,
    );
  });
});
