import type { QuarterEnd } from '../ids.ts';
import { abs } from '../money.ts';
import { quarterLabel } from '../quarter.ts';
import type { Brief, Change, Claim, Insiders } from '../wire/brief.ts';
import { corroborate, INSIDER_SIGNS } from './corroboration.ts';
import { INLINE_EVIDENCE_IDS, MAX_EVIDENCE_IDS } from './holder-facts.ts';
import { cents, type Derived, showsAllTrades, stanceOfShown, sum } from './restated-trades.ts';
import { doubtWords, uncertainChanges } from './words/holder-words.ts';
import { amountWords, dollars, sharesWords } from './words/numbers.ts';

type Security = { readonly ticker: string; readonly cusip: string };
type Content = Omit<Claim, 'claim_id'>;

/**
 * The claims of a brief as its other members say them: one for each change, then the stances. What a claim
 * alone says (the periods compared, the stance of trades by others, up to eight evidence ids) is taken from it.
 */
export function* restatedClaims(brief: Brief): Generator<Derived> {
  const { entity, institutional, manifest } = brief;
  const { ticker, cusip } = entity;
  const security = { ticker, cusip };
  const hasHolders = cusip !== '';
  const changes = institutional.changes.map((change) => changeClaim(change, security));
  const kinds = hasHolders ? ['institutional_stance', 'insider_stance', 'corroboration'] : ['insider_stance'];
  const expected = [...changes.map(({ kind }) => kind), ...(ticker === '' ? [] : kinds)];
  const claims = manifest.claims.map(contentOf);
  yield ['kinds of manifest.claims', expected, claims.map(({ kind }) => kind)];
  yield* ofComparison(brief);
  if (expected.length !== claims.length || ticker === '') return;
  yield ['claims of changes', changes, claims.slice(0, changes.length)];
  const [first, second, third] = claims.slice(changes.length);
  const insider = hasHolders ? second : first;
  if (insider !== undefined) yield* insiderClaim(brief, insider, security);
  if (!hasHolders || first === undefined || third === undefined) return;
  yield* institutionalClaim(brief, first, security);
  yield* corroborationClaim(brief, { first, third }, security);
}

function contentOf({ claim_id: _id, ...content }: Claim): Content {
  return content;
}

/** What one change says. */
export function changeClaim(change: Change, security: Security): Content {
  return {
    kind: 'institutional_change',
    subject: { ...security, fund_cik: change.fund.cik, quarter_end: change.quarter_end },
    values: {
      action: change.action,
      current_shares: change.current_shares,
      previous_shares: change.previous_shares,
      share_delta: change.share_delta,
      pct_delta: change.pct_delta,
      current_value_usd: change.current_value_usd,
      quality_status: change.quality.status,
    },
    evidence_ids: change.evidence_ids,
  };
}

function* institutionalClaim(brief: Brief, claim: Content, security: Security): Generator<Derived> {
  const { stance, counts, totals, periods_observed, latest_reported_quarter_end, changes } =
    brief.institutional;
  const { net_share_delta, gross_share_delta } = totals;
  const { periods_compared } = claim.values;
  yield [
    'claim of the institutional stance',
    {
      kind: 'institutional_stance',
      subject: { ...security, latest_reported_quarter_end },
      values: { stance, ...counts, net_share_delta, gross_share_delta, periods_observed, periods_compared },
      ...evidenceOf(
        brief,
        claim,
        changes.flatMap(({ evidence_ids }) => evidence_ids),
      ),
    },
    claim,
  ];
}

function* insiderClaim(brief: Brief, claim: Content, security: Security): Generator<Derived> {
  const { stance, stance_discretionary, counts, totals, window_start, window_end, transactions } =
    brief.insiders;
  const net_value_usd = (cents(totals.buy_value_usd) - cents(totals.sell_value_usd)) / 100;
  yield [
    'claim of the insider stance',
    {
      kind: 'insider_stance',
      subject: { ...security, window_start, window_end },
      values: { stance, stance_discretionary, ...counts, ...totals, net_value_usd },
      ...evidenceOf(
        brief,
        claim,
        transactions.flatMap(({ evidence_ids }) => evidence_ids),
      ),
    },
    claim,
  ];
}

type Compared = { readonly first: Content; readonly third: Content };

function* corroborationClaim(
  brief: Brief,
  { first, third }: Compared,
  security: Security,
): Generator<Derived> {
  const { institutional, insiders, corroboration, corroboration_detail, manifest } = brief;
  const { latest_reported_quarter_end, stance } = institutional;
  yield [
    'claim of the corroboration',
    {
      kind: 'corroboration',
      subject: { ...security, latest_reported_quarter_end, window_end: insiders.window_end },
      values: {
        corroboration,
        institutional_stance: stance,
        insiders_stance: third.values['insiders_stance'],
        ...corroboration_detail,
        periods_compared: first.values['periods_compared'],
      },
      ...evidenceOf(brief, third, manifest.evidence_ids),
    },
    third,
  ];
}

/** The comparison is over the trades by others than the managers of the 13F leg: without such, over all trades. */
function* ofComparison(brief: Brief): Generator<Derived> {
  const { institutional, insiders, manifest, corroboration_detail } = brief;
  const { shared_ciks, independent } = corroboration_detail;
  const claim = manifest.claims.find(({ kind }) => kind === 'corroboration');
  const compared = claim === undefined ? insiders.stance : claim.values['insiders_stance'];
  const stated = compared as Insiders['stance'];
  if (claim === undefined) yield ['corroboration_detail.shared_ciks', [], shared_ciks];
  if (shared_ciks.length === 0) {
    const hasTrades = insiders.counts.buys + insiders.counts.sells > 0;
    yield ['corroboration_detail', [insiders.stance, hasTrades], [stated, independent]];
  } else if (showsAllTrades(insiders)) {
    const isOwn = ({ cik }: { readonly cik: string }) => shared_ciks.includes(cik);
    const others = insiders.transactions.filter(({ owners }) => !owners.some(isOwn));
    const expected = [stanceOfShown(brief, others, stated), others.length > 0];
    yield ['corroboration_detail', expected, [stated, independent]];
  }
  yield ['insiders_stance', true, Object.hasOwn(INSIDER_SIGNS, stated)];
  yield ['corroboration', corroborate(institutional.stance, stated), brief.corroboration];
}

/** The ids that a claim lists, which include those on display; or how many the manifest has. */
function evidenceOf({ manifest }: Brief, { evidence_ids: ids }: Content, displayed: readonly string[]) {
  const { evidence_ids: all, evidence_id_count } = manifest;
  const isComplete = evidence_id_count <= MAX_EVIDENCE_IDS;
  if (ids === undefined) {
    const field = isComplete ? 'manifest.evidence_ids' : 'manifest.evidence_digest';
    return { evidence_reference: { field, evidence_id_count } };
  }
  const known = isComplete ? ids.filter((id) => all.includes(id)) : ids;
  return { evidence_ids: [...new Set([...known, ...displayed])].sort().slice(0, INLINE_EVIDENCE_IDS) };
}

/** The figures, quarters and doubts of the headline. Its other words are bound by the id alone. */
export function* ofHeadline(brief: Brief): Generator<Derived> {
  const { headline, entity, requested_ticker, institutional, insiders, coverage } = brief;
  const { holders_up, holders_down, net_share_delta } = institutional.totals;
  const { buy_value_usd, sell_value_usd } = insiders.totals;
  const net = BigInt(net_share_delta);
  const ticker = `${entity.ticker === '' ? requested_ticker : entity.ticker}: `;
  yield ['headline', ticker, headline.slice(0, ticker.length)];
  const [up, down] = [String(holders_up), String(holders_down)];
  yield* stated(
    /[ (]net ([+-][0-9](?:[0-9,.]*[0-9])?(?: m| bn)?) shares?/g,
    `${net < 0n ? '-' : '+'}${amountWords(net)}`,
  );
  yield* stated(
    /(?:added|cut) a net [0-9](?:[0-9,.]*[0-9])?(?: m| bn)? shares?/g,
    `${net < 0n ? 'cut' : 'added'} a net ${sharesWords(abs(net))}`,
  );
  if (!coverage.thirteen_f.truncated) yield* ofShown();
  yield* stated(/([0-9]{1,9}) holders? up/g, up);
  yield* stated(/([0-9]{1,9}|none) down/g, holders_down === 0 ? 'none' : down);
  yield* stated(/([0-9]{1,9}) holders? down/g, down);
  yield* stated(/bought (\$[0-9](?:[0-9,.]*[0-9])?(?: m| bn)?)/g, dollars(cents(buy_value_usd) / 100));
  yield* stated(/sold (\$[0-9](?:[0-9,.]*[0-9])?(?: m| bn)?)/g, dollars(cents(sell_value_usd) / 100));

  yield* ofQuarters(brief);

  function* ofShown(): Generator<Derived> {
    const { changes } = institutional;
    const moves = [net, ...changes.map(({ share_delta }) => BigInt(share_delta))].map(amountWords);
    const one = /(?:added|cut|position of|exited) \(?([0-9](?:[0-9,.]*[0-9])?(?: m| bn)?) shares?/g;
    // What one manager moved, or all in one direction.
    for (const [, amount = ''] of headline.matchAll(one)) yield ['headline', true, moves.includes(amount)];
    const doubted = uncertainChanges({ changes });
    yield* stated(
      /(?:[0-9]|none) (?:holders? )?(?:up|down)(, [0-9]{1,9} in doubt|)\. /g,
      doubted === 0 ? '' : `, ${doubted} in doubt`,
    );
    yield* stated(
      /The direction of managers is in doubt[^:.]{0,99}: ([^.]{0,99})\. /gu,
      doubtWords({ changes }),
    );
  }

  function* stated(pattern: RegExp, expected: string): Generator<Derived> {
    for (const match of headline.matchAll(pattern)) yield ['headline', expected, match.at(-1)];
  }
}

/** The quarters of the headline are those that were compared, else those observed, else the latest one. */
function* ofQuarters({ headline, institutional, manifest, coverage }: Brief): Generator<Derived> {
  const { periods_observed: observed, latest_reported_quarter_end: latest } = institutional;
  const claim = manifest.claims.find(({ kind }) => kind === 'institutional_stance');
  const compared = (claim?.values['periods_compared'] ?? []) as typeof observed;
  const managersOf = new Map(observed.map(({ quarter_end, managers }) => [quarter_end, managers]));
  const isObserved = ({ quarter_end, managers }: (typeof observed)[number]): boolean =>
    Number.isInteger(managers) && managers > 0 && managers <= (managersOf.get(quarter_end) ?? 0);
  yield ['periods_compared', true, compared.every(isObserved)];
  const { tracked_managers_observed: tracked, counts } = institutional;
  yield ['periods_compared', tracked - counts.baseline_only, sum(compared.map(({ managers }) => managers))];
  const periods = compared.length > 0 ? compared : observed;
  const named = [...headline.matchAll(/ (?:in|at|and) ([0-9]{4}Q[1-4])/g)].map(([, label]) => label);
  const quarters = periods.map(({ quarter_end }) => quarter_end);
  if (coverage.thirteen_f.observations_total === 0 && latest !== null) quarters.push(latest);
  if (quarters.length === 0 || named.length === 0) return;
  const labels = quarters.map((quarterEnd) => quarterLabel(quarterEnd as QuarterEnd));
  yield ['headline quarters', labels.toSorted(), named.toSorted()];
  const still = / in ([0-9]{4}Q[1-4]) \(([0-9]{1,9}) managers? still at /.exec(headline);
  if (still === null || latest === null) return;
  const late = sum(periods.map((period) => (period.quarter_end === latest ? 0 : period.managers)));
  yield ['headline quarters', [quarterLabel(latest as QuarterEnd), late], [still[1], Number(still[2])]];
}
