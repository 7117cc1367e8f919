import type { Brief, Change, Claim, Insiders } from '../wire/brief.ts';
import { corroborate, INSIDER_SIGNS } from './corroboration.ts';
import { INLINE_EVIDENCE_IDS, MAX_EVIDENCE_IDS } from './holder-facts.ts';
import { cents, type Derived, showsAllTrades, stanceOfShown } from './restated-trades.ts';

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

function changeClaim(change: Change, security: Security): Content {
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
