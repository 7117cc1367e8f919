import { expect, it } from 'vitest';
import type { Cik, Cusip, IsoDate } from '../../domain/ids.ts';
import { NO_VERDICT, type ReportVerdict, type SplitVote } from '../../domain/peers/verdict.ts';
import { packVerdicts, unpackVerdicts } from '../../store/peers/answers.ts';
import { packCorporateActions, unpackCorporateActions } from '../../store/peers/corporate-actions.ts';
import { type Answers, changesBetween, joinChanges, NO_CHANGE } from './changes.ts';

const A = 'A00000001' as Cusip;
const B = 'B00000001' as Cusip;
const SPLIT: SplitVote = {
  kind: 'split',
  cusip: A,
  factor: { numerator: 4n, denominator: 1n },
  votes: 5,
  compared: 6,
};
const NOTHING: Answers = { corporateActions: [], verdicts: new Map() };
const saying = (...corporateActions: Answers['corporateActions'][number][]): Answers => ({
  corporateActions,
  verdicts: new Map(),
});

it('another vote changes briefs and compares no report again', () => {
  const changed = changesBetween(saying(SPLIT), saying({ ...SPLIT, votes: 6 }));
  expect(changed).toEqual({ ciks: [], cusips: [A], moved: [] });
});

it('another factor reaches every holder, and so does a split that comes or goes', () => {
  const three = { ...SPLIT, factor: { numerator: 3n, denominator: 1n } };
  for (const [before, after] of [
    [saying(SPLIT), saying(three)],
    [NOTHING, saying(SPLIT)],
    [saying(SPLIT), NOTHING],
  ] as const) {
    expect(changesBetween(before, after).moved).toEqual([[A, 'holders']]);
  }
});

it('a suspected split and a suspected CUSIP change reach the holders too', () => {
  const suspected = { ...SPLIT, kind: 'split_suspected' } as const;
  expect(changesBetween(NOTHING, saying(suspected)).moved).toEqual([[A, 'holders']]);
  expect(changesBetween(saying(SPLIT), saying(suspected)).moved).toEqual([[A, 'holders']]);
  const { factor, ...votes } = SPLIT;
  const linked = { ...votes, kind: 'cusip_change_suspected', from: B } as const;
  expect(changesBetween(NOTHING, saying(linked)).cusips).toEqual([A, B]);
});

it('a new CUSIP reaches the holders of both, and those who come late', () => {
  const renamed = { ...SPLIT, kind: 'cusip_change', from: B } as const;
  expect(changesBetween(NOTHING, saying(renamed))).toEqual({
    ciks: [],
    cusips: [A, B],
    moved: [
      [A, 'joined'],
      [B, 'left'],
    ],
  });
});

it('a verdict that differs, comes or goes is of its manager alone; the same one is no change', () => {
  const judged = (outliers: Cusip[]): Answers => ({
    corporateActions: [],
    verdicts: new Map<Cik, ReportVerdict>([['0000000001' as Cik, { ...NO_VERDICT, outliers }]]),
  });
  expect(changesBetween(judged([A]), judged([A]))).toEqual(NO_CHANGE);
  expect(changesBetween(judged([A]), judged([B])).ciks).toEqual(['0000000001']);
  expect(changesBetween(judged([A]), NOTHING).ciks).toEqual(['0000000001']);
});

it('changes that were not yet invalidated are kept with the new ones', () => {
  const left = changesBetween(NOTHING, saying({ ...SPLIT, kind: 'split_suspected' }));
  const now = changesBetween(NOTHING, saying(SPLIT, { kind: 'mass_exit', cusip: B, votes: 9, compared: 9 }));
  expect(joinChanges(left, now)).toEqual({
    ciks: [],
    cusips: [A, B],
    moved: [
      [A, 'holders'],
      [B, 'holders'],
    ],
  });
});

it('corporate actions and verdicts come back from their documents as they went in', () => {
  const day = { price: 86.41, sha256: 'ab01', file: 'cnsfails202212a.zip', row: 7 };
  const prices = {
    last: { ...day, day: '2022-12-01' as IsoDate, price: 339.96 },
    first: { ...day, day: '2022-12-02' as IsoDate },
  };
  const actions = [{ ...SPLIT, prices }, SPLIT];
  expect(unpackCorporateActions(packCorporateActions(actions))).toEqual(actions);
  const verdicts = new Map(
    ['0000000017', '0000000001', '0000000002'].map((cik): [Cik, ReportVerdict] => [
      cik as Cik,
      {
        ...NO_VERDICT,
        scales: [{ accession: `${cik}-24-000001` as never, scaleCents: 100_000n, reasons: [] }],
      },
    ]),
  );
  expect(unpackVerdicts(packVerdicts(verdicts))).toEqual(verdicts);
});
