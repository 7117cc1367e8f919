import type { Brief } from '../../wire/brief.ts';
import { counted, filedShares, grouped } from './numbers.ts';

/** What two briefs say differently, as one sentence with its code. */
export type Difference = { readonly code: string; readonly text: string };

/** What changed from one brief to another: day, algorithm, headline, figures, managers and trades on display, limitations, evidence. */
export function differencesOf(before: Brief, after: Brief): Difference[] {
  return [
    ...moved('ticker', before.requested_ticker, after.requested_ticker),
    ...moved('as_of', before.insiders.window_end, after.insiders.window_end),
    ...moved('algorithm', before.manifest.algorithm_version, after.manifest.algorithm_version),
    ...headline(before, after),
    ...moved('outcome', before.outcome, after.outcome),
    ...moved('institutional_stance', before.institutional.stance, after.institutional.stance),
    ...moved('insider_stance', before.insiders.stance, after.insiders.stance),
    ...moved('corroboration', before.corroboration, after.corroboration),
    ...counts(MANAGER_COUNTS, before.institutional.counts, after.institutional.counts),
    ...counts(INSIDER_COUNTS, before.insiders.counts, after.insiders.counts),
    ...managers(before, after),
    ...trades(before, after),
    ...limitations(before, after),
    ...evidence(before, after),
  ];
}

/** What changed by its code, in words. */
const WHAT = {
  ticker: 'Ticker',
  as_of: 'As of',
  algorithm: 'Algorithm',
  outcome: 'Outcome',
  institutional_stance: 'Direction of managers',
  insider_stance: 'Direction of insiders',
  corroboration: 'Corroboration',
} as const;

/** Names of an algorithm and days have no underscores to write as spaces. */
function moved(code: keyof typeof WHAT, from: string, to: string): Difference[] {
  if (from === to) return [];
  const [then, now] =
    code === 'algorithm' ? [from, to] : [from, to].map((value) => value.replaceAll('_', ' '));
  return [{ code, text: `${WHAT[code]}: ${then} before, ${now} now.` }];
}

/** It has the sizes, which no count shows. */
function headline({ headline: then }: Brief, { headline: now }: Brief): Difference[] {
  return then === now ? [] : [{ code: 'headline', text: `Headline before: "${then}" Now: "${now}"` }];
}

const MANAGER_COUNTS: Readonly<Record<keyof Brief['institutional']['counts'], string>> = {
  initiated: 'Managers that initiated a position',
  added: 'Managers that added shares',
  reduced: 'Managers that cut shares',
  exited: 'Managers that exited',
  unchanged: 'Managers that kept their shares',
  baseline_only: 'Managers without a report to compare',
};

const INSIDER_COUNTS: Readonly<Record<keyof Brief['insiders']['counts'], string>> = {
  buys: 'Insider purchases',
  sells: 'Insider sales',
  distinct_buyers: 'Insiders that bought',
  distinct_sellers: 'Insiders that sold',
  priced: 'Insider trades with a price',
  unpriced: 'Insider trades without a price',
};

function counts<Name extends string>(
  labels: Readonly<Record<Name, string>>,
  before: Readonly<Record<Name, number>>,
  after: Readonly<Record<Name, number>>,
): Difference[] {
  return (Object.keys(labels) as Name[]).flatMap((name) => {
    const [then, now] = [before[name], after[name]];
    if (then === now) return [];
    return [{ code: 'count', text: `${labels[name]}: ${then} before, ${now} now.` }];
  });
}

function managers(before: Brief, after: Brief): Difference[] {
  const byCik = (brief: Brief) => new Map(brief.institutional.changes.map((one) => [one.fund.cik, one]));
  const [then, now] = [byCik(before), byCik(after)];
  const added = [...now.values()].filter(({ fund }) => !then.has(fund.cik));
  const removed = [...then.values()].filter(({ fund }) => !now.has(fund.cik));
  const changed = [...now.values()].flatMap((one) => {
    const earlier = then.get(one.fund.cik);
    const isSame = earlier?.action === one.action && earlier.share_delta === one.share_delta;
    return earlier === undefined || isSame ? [] : [{ one, earlier }];
  });
  return [
    ...added.map((one) => ({
      code: 'manager_added',
      text: `${one.fund.name} is shown now: ${changeWords(one)}.`,
    })),
    ...removed.map((one) => ({
      code: 'manager_removed',
      text: `${one.fund.name} is not shown any more: ${changeWords(one)}.`,
    })),
    ...changed.map(({ one, earlier }) => ({
      code: 'manager_changed',
      text: `${one.fund.name}: ${changeWords(earlier)} before, ${changeWords(one)} now.`,
    })),
  ];
}

type Change = Brief['institutional']['changes'][number];

const VERBS: Readonly<Record<Change['action'], string>> = {
  initiated: 'initiated a position of',
  added: 'added',
  reduced: 'cut',
  exited: 'exited its position of',
};

/** In the words of the headline. */
function changeWords({ action, share_delta, quarter_end }: Change): string {
  return `${VERBS[action]} ${sharesInFull(share_delta)} in the quarter ended ${quarter_end}`;
}

function sharesInFull(delta: string): string {
  const shares = delta.replace('-', '');
  return `${grouped(shares)} ${shares === '1' ? 'share' : 'shares'}`;
}

function trades(before: Brief, after: Brief): Difference[] {
  const byId = (brief: Brief) => new Map(brief.insiders.transactions.map((one) => [one.transaction_id, one]));
  const [then, now] = [byId(before), byId(after)];
  const sentence = (one: Brief['insiders']['transactions'][number], end: string): string =>
    `The ${one.side === 'buy' ? 'purchase' : 'sale'} of ${filedShares(one.shares)} on ${one.transaction_date} (${one.accession_number}) ${end}.`;
  const added = [...now].filter(([id]) => !then.has(id));
  const removed = [...then].filter(([id]) => !now.has(id));
  return [
    ...added.map(([, one]) => ({ code: 'trade_added', text: sentence(one, 'is shown now') })),
    ...removed.map(([, one]) => ({ code: 'trade_removed', text: sentence(one, 'is not shown any more') })),
  ];
}

function limitations(before: Brief, after: Brief): Difference[] {
  const [then, now] = [before.coverage.limitations, after.coverage.limitations];
  const said = now.filter((one) => !then.includes(one));
  const unsaid = then.filter((one) => !now.includes(one));
  return [
    ...said.map((one) => ({ code: 'limitation_added', text: `New limitation: ${one}` })),
    ...unsaid.map((one) => ({ code: 'limitation_removed', text: `No longer a limitation: ${one}` })),
  ];
}

/** The whole lists may be longer than what a brief names, so only their numbers are compared. */
function evidence({ manifest: then }: Brief, { manifest: now }: Brief): Difference[] {
  if (then.evidence_digest === now.evidence_digest) return [];
  const [from, to] = [then.evidence_id_count, now.evidence_id_count];
  return [
    {
      code: 'evidence',
      text:
        from === to
          ? `It still rests on ${counted(to, 'filing')}, but not the same.`
          : `It rested on ${counted(from, 'filing')} before and rests on ${to} now.`,
    },
  ];
}
