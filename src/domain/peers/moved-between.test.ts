import { expect, it } from 'vitest';
import { sampleManager } from '../filing/filing.sample.ts';
import type { OtherManager } from '../filing/filing.ts';
import { NAMES_NOBODY, type NamedManagers } from '../report/other-manager.ts';
import {
  filer,
  holding,
  moved,
  peersOf,
  reportBy,
  type SampleHolding,
  type SampleReport,
  type Side,
  stock,
} from './peers.sample.ts';

const [PARENT, CHILD] = [1, 2];
const [HELD, OWN] = [stock(1), stock(2)];
const NAMES: Record<number, string> = { [PARENT]: 'PARENT CORP', [CHILD]: 'CHILD CO' };

const report = (by: number, side: Side, named: Partial<NamedManagers> = {}): SampleReport => ({
  ...reportBy(by, side),
  named: { ...NAMES_NOBODY, name: NAMES[by] ?? '', fileNumber: `28-000${by}`, ...named },
});
const noticeOf = (by: number, side: Side, reportedBy: OtherManager): SampleReport => ({
  ...report(by, side, { reportedBy: [reportedBy] }),
  filings: [],
  isComparable: false,
});
const [asParent, asChild] = [PARENT, CHILD].map((by) => sampleManager({ cik: filer(by) })) as [
  OtherManager,
  OtherManager,
];

/** The parent's table takes in 2,000,000 shares that the child held. */
const takenIn: readonly SampleHolding[] = [
  ...moved(PARENT, HELD, [5_000_000n, 7_000_000n]),
  ...moved(PARENT, OWN, [100n, 900n]),
  holding(CHILD, HELD, { side: 'prior', amount: 2_000_000n }),
];
const movedIn = (prior: readonly SampleReport[], current: readonly SampleReport[], holdings = takenIn) => {
  const { verdicts } = peersOf(holdings, { reports: { prior, current } });
  return [PARENT, CHILD].map((by) => verdicts.get(filer(by))?.moved ?? []);
};
const BEFORE = [report(PARENT, 'prior'), report(CHILD, 'prior')];
/** A manager without a report of the quarter has no verdict. */
const FOUND_WITHOUT_CHILD = [[{ cik: filer(CHILD), name: 'CHILD CO', cusips: [HELD] }], []];
const FOUND = [
  [{ cik: filer(CHILD), name: 'CHILD CO', cusips: [HELD] }],
  [{ cik: filer(PARENT), name: 'PARENT CORP', cusips: [HELD] }],
];

it('a notice that names the manager which reports now: what the child held moved (rule 4.11)', () => {
  const after = [report(PARENT, 'current'), noticeOf(CHILD, 'current', asParent)];
  expect(movedIn(BEFORE, after)).toEqual(FOUND);
});

it('so does a manager that is newly among the included ones, with or without a notice (rule 4.11)', () => {
  const including = report(PARENT, 'current', { includes: [asChild] });
  expect(movedIn(BEFORE, [including])).toEqual(FOUND_WITHOUT_CHILD);
  const other = sampleManager({ cik: filer(9) });
  expect(movedIn(BEFORE, [including, noticeOf(CHILD, 'current', other)])).toEqual(FOUND);
});

it('a manager is found by its file number, else by its name; two of a name are none (rule 4.11)', () => {
  const including = (other: Partial<OtherManager>) =>
    movedIn(BEFORE, [report(PARENT, 'current', { includes: [sampleManager(other)] })]);
  expect(including({ name: 'Another spelling', form13fFileNumber: '028-00002' })).toEqual(
    FOUND_WITHOUT_CHILD,
  );
  expect(including({ name: 'Child, Co.' })).toEqual(FOUND_WITHOUT_CHILD);
  expect(including({ name: 'Child Company' })).toEqual([[], []]);
  const twin = report(3, 'prior', { name: 'CHILD CO' });
  const named = report(PARENT, 'current', { includes: [sampleManager({ name: 'Child Co' })] });
  expect(movedIn([...BEFORE, twin], [named])).toEqual([[], []]);
});

it('what was in the report of the parent and comes out of it moved the other way (rule 4.11)', () => {
  const holdings = [
    ...moved(PARENT, HELD, [7_000_000n, 5_000_000n]),
    holding(CHILD, HELD, { amount: 2_000_000n }),
  ];
  const before = [report(PARENT, 'prior'), noticeOf(CHILD, 'prior', asParent)];
  expect(movedIn(before, [report(PARENT, 'current'), report(CHILD, 'current')], holdings)).toEqual(FOUND);
});

it('the same lists in both quarters move nothing while the child reports too (rule 4.11)', () => {
  const before = [report(PARENT, 'prior', { includes: [asChild] }), report(CHILD, 'prior')];
  const after = [report(PARENT, 'current', { includes: [asChild] }), report(CHILD, 'current')];
  const trading = [...takenIn, holding(CHILD, HELD, { amount: 1_000_000n })];
  expect(movedIn(before, after, trading)).toEqual([[], []]);
  // Once the child reports no more, what it had is in the report of the parent.
  expect(movedIn(before, [after[0] as SampleReport])).toEqual(FOUND_WITHOUT_CHILD);
});

it('while both report, the one gains what the other one loses (rule 4.11)', () => {
  const after = [report(PARENT, 'current', { includes: [asChild] }), report(CHILD, 'current')];
  const falling = [
    ...moved(CHILD, HELD, [2_000_000n, 1_000_000n]),
    ...moved(PARENT, HELD, [5_000_000n, 4_000_000n]),
  ];
  expect(movedIn(BEFORE, after, falling)).toEqual([[], []]);
  const notice = [report(PARENT, 'current'), noticeOf(CHILD, 'current', asParent)];
  const gone = falling.filter(({ by, side }) => by === PARENT || side === 'prior');
  expect(movedIn(BEFORE, notice, gone)).toEqual(FOUND);
});

it('nothing moved where the child lists as much as before, or the parent as much as before (rule 4.11)', () => {
  const after = [report(PARENT, 'current', { includes: [asChild] }), report(CHILD, 'current')];
  const kept = [...takenIn, holding(CHILD, HELD, { amount: 2_000_000n })];
  expect(movedIn(BEFORE, after, kept)).toEqual([[], []]);
  const still = [
    ...moved(PARENT, HELD, [5_000_000n, 5_000_000n]),
    holding(CHILD, HELD, { side: 'prior', amount: 2_000_000n }),
  ];
  expect(movedIn(BEFORE, [after[0] as SampleReport], still)).toEqual([[], []]);
});

it('a manager that the cover named is known, although nothing moved, where its table is stored (rule 2.12)', () => {
  const before = [report(PARENT, 'prior', { reportedBy: [asChild] }), report(CHILD, 'prior')];
  const after = [report(PARENT, 'current'), report(CHILD, 'current')];
  const still = moved(PARENT, HELD, [5_000_000n, 4_000_000n]);
  const known = [{ cik: filer(CHILD), name: 'CHILD CO', cusips: [] }];
  expect(movedIn(before, after, still)).toEqual([known, []]);
  expect(movedIn(before, after)).toEqual(FOUND);
  expect(movedIn([before[0] as SampleReport, noticeOf(CHILD, 'prior', asParent)], after, still)[0]).toEqual(
    [],
  );
});
