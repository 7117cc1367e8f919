import type { Brief, Change, Claim } from '../wire/brief.ts';
import { corroborate } from './corroboration.ts';
import { cents, type Derived } from './derived-member.ts';
import { INLINE_EVIDENCE_IDS, MAX_EVIDENCE_IDS } from './holder-facts.ts';

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
  const insiders_stance = third.values['insiders_stance'] as Brief['insiders']['stance'];
  yield [
    'claim of the corroboration',
    {
      kind: 'corroboration',
      subject: { ...security, latest_reported_quarter_end, window_end: insiders.window_end },
      values: {
        corroboration,
        institutional_stance: stance,
        insiders_stance,
        ...corroboration_detail,
        periods_compared: first.values['periods_compared'],
      },
      ...evidenceOf(brief, third, manifest.evidence_ids),
    },
    third,
  ];
  yield ['corroboration', corroborate(stance, insiders_stance), corroboration];
}

/** Without trades of its own managers, the comparison is over all trades. */
function* ofComparison({ institutional, insiders, manifest, ...brief }: Brief): Generator<Derived> {
  const { shared_ciks, independent } = brief.corroboration_detail;
  if (shared_ciks.some(() => true)) return;
  const compared = manifest.claims.find(({ kind }) => kind === 'corroboration')?.values['insiders_stance'];
  const hasTrades = insiders.counts.buys + insiders.counts.sells > 0;
  yield ['corroboration_detail', [insiders.stance, hasTrades], [compared ?? insiders.stance, independent]];
  yield ['corroboration', corroborate(institutional.stance, insiders.stance), brief.corroboration];
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
