import type { Db } from 'mongodb';
import { kebabSlug, slugWithSuffix } from '../../domain/filing/manager.ts';
import {
  cusipsOf,
  inTermsOf,
  type SecurityCusip,
  sumObservations,
} from '../../domain/holders/former-cusips.ts';
import { type ManagerObservation, observed, toObservation } from '../../domain/holders/observation.ts';
import type { OptionObservation } from '../../domain/holders/totals.ts';
import type { Cik, Cusip, QuarterEnd } from '../../domain/ids.ts';
import { fundNames } from '../../store/report/funds.ts';
import type { ManagerPosition, StoredOption } from '../../store/report/positions.ts';
import type { ShowingReport } from '../../store/report/reports.ts';
import type { Sliced } from '../../store/report/slices.ts';
import type { SecurityHistory } from './security-history.ts';

/** A position with the report that shows it. */
export type Shown<Position = ManagerPosition> = {
  readonly position: Position;
  readonly report: ShowingReport;
};

/** Whose names the positions are under, and the quarter in whose shares they are counted. */
type Counting = { readonly history: SecurityHistory; readonly counted: QuarterEnd };

/** One holder for each manager, even when it holds the security under several CUSIPs. */
export async function holdersAmong(
  db: Db,
  shown: readonly Shown[],
  counting: Counting,
): Promise<ManagerObservation[]> {
  const funds = await fundNames(
    db,
    shown.map(({ position }) => position.cik),
  );
  const nameOf = namesIn(counting);
  const holders = new Map<Cik, ManagerObservation>();
  for (const one of shown) {
    const { cik } = one.position;
    // A report is shown a moment before its manager is listed, under its name.
    const fund = funds.get(cik) ?? namedBy(one.report);
    const name = nameOf(one.position);
    const corporateActions = corporateActionsOf(counting.history, one.position);
    const own = inTermsOf({ ...toObservation(one, fund), corporateActions }, name);
    const known = holders.get(cik);
    holders.set(cik, known === undefined ? own : sumObservations(known, own));
  }
  return [...holders.values()];
}

function namedBy({ cik, managerName: name }: ShowingReport) {
  return { name, slug: kebabSlug(name) || slugWithSuffix(name, cik) };
}

/** The options of each manager in the shares counted, one for each CUSIP and side. */
export function optionsAmong(
  shown: readonly Shown<Sliced<StoredOption>>[],
  counting: Counting,
): OptionObservation[] {
  const nameOf = namesIn(counting);
  return shown.map((one) => {
    const { putCall } = one.position;
    return { ...inTermsOf(observed(one), nameOf(one.position)), putCall };
  });
}

/** The names of each quarter are found once for all its reports. */
function namesIn({ history, counted }: Counting): (position: ManagerPosition) => SecurityCusip {
  const byQuarter = new Map<QuarterEnd, ReadonlyMap<Cusip, SecurityCusip>>();
  return ({ cusip, quarterEnd: reported }) => {
    const names =
      byQuarter.get(reported) ??
      new Map(
        cusipsOf(history.cusip, history.quarters, { reported, counted }).map((name) => [name.cusip, name]),
      );
    byQuarter.set(reported, names);
    const name = names.get(cusip);
    if (name === undefined) throw new TypeError(`${cusip} is no name of ${history.cusip}`);
    return name;
  };
}

/** What the filers of the report's own quarter say of the security. */
function corporateActionsOf({ cusip, quarters }: SecurityHistory, position: ManagerPosition) {
  const own = quarters.find(({ quarterEnd }) => quarterEnd === position.quarterEnd);
  return (own?.corporateActions ?? []).filter(
    (action) => action.cusip === cusip || action.cusip === position.cusip,
  );
}
