import type { Brief } from '../../wire/brief.ts';
import { counted, grouped } from './numbers.ts';

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
    ...moved('institutional stance', before.institutional.stance, after.institutional.stance),
    ...moved('insider stance', before.insiders.stance, after.insiders.stance),
    ...moved('corroboration', before.corroboration, after.corroboration),
    ...counts('institutional', before.institutional.counts, after.institutional.counts),
    ...counts('insider', before.insiders.counts, after.insiders.counts),
    ...managers(before, after),
    ...trades(before, after),
    ...limitations(before, after),
    ...evidence(before, after),
  ];
}

function moved(what: string, from: string, to: string): Difference[] {
  return from === to
    ? []
    : [{ code: what.replaceAll(' ', '_'), text: `The ${what} was ${from} and is ${to}.` }];
}

/** It has the sizes, which no count shows. */
function headline({ headline: then }: Brief, { headline: now }: Brief): Difference[] {
  return then === now ? [] : [{ code: 'headline', text: `The headline was "${then}" and is "${now}"` }];
}

type Counts = Readonly<Record<string, number>>;

function counts(leg: string, before: Counts, after: Counts): Difference[] {
  return Object.entries(after).flatMap(([name, now]) => {
    const then = before[name] ?? 0;
    if (then === now) return [];
    return [{ code: 'count', text: `The ${leg} count ${name} was ${then} and is ${now}.` }];
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

/** In the words of the headline. */
function changeWords({ action, share_delta, quarter_end }: Change): string {
  const verb = action === 'reduced' ? 'cut' : action;
  return `${verb} ${sharesInFull(share_delta)} in the quarter ended ${quarter_end}`;
}

function sharesInFull(delta: string): string {
  const shares = delta.replace('-', '');
  return `${grouped(shares)} ${shares === '1' ? 'share' : 'shares'}`;
}

function trades(before: Brief, after: Brief): Difference[] {
  const byId = (brief: Brief) => new Map(brief.insiders.transactions.map((one) => [one.transaction_id, one]));
  const [then, now] = [byId(before), byId(after)];
  const sentence = (one: Brief['insiders']['transactions'][number], end: string): string =>
    `The ${one.side} of ${one.shares === null ? 'unknown' : grouped(one.shares)} shares on ${one.transaction_date} (${one.accession_number}) ${end}.`;
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
      text: `It rested on ${counted(from, 'filing')} and rests on ${to}, not all of them the same.`,
    },
  ];
}
