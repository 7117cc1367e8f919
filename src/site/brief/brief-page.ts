import type { Brief } from '../../domain/wire/brief.ts';
import { type Html, html } from '../html.ts';
import { page } from '../page.ts';
import { diffPath } from './diff-page.ts';
import { gapsSection } from './gaps.ts';
import { insidersSection } from './insider-dots.ts';
import { managersSection } from './manager-bars.ts';
import { proofSection } from './proof.ts';
import { totalsSection } from './totals.ts';
import { afterColon, filingsOf, words } from './wording.ts';

/** The page of exactly these numbers (rule 11.20), and their bytes. */
export function briefPaths(briefId: string) {
  return { page: `/briefs/${briefId}`, json: `/briefs/${briefId}.json` };
}

/** `supersededBy`: id of the brief that the ticker shows now; null while it shows this one. */
type StoredAs = { readonly supersededBy: string | null };

/** @param stored null for a brief that is not stored: nothing stands at its address */
export function briefPage(brief: Brief, stored: StoredAs | null): string {
  const { entity, headline, requested_ticker, brief_id } = brief;
  const { page: path, json } = briefPaths(brief_id);
  const name = entity.name === '' ? requested_ticker : entity.name;
  const filings = filingsOf(brief);
  const body = html`<div class="brief-head">
<p class="eyebrow">Capital-change brief, as of ${brief.insiders.window_end}</p>
<h1>${name} <span class="soft">${requested_ticker}</span></h1>
<p class="lead">${afterColon(headline)}</p>
<p><span class="badge">${words(brief.outcome)}</span> ${entity.ticker === '' ? null : html`<a href="/stocks/${entity.ticker}">All holders of ${entity.ticker}</a>`}</p>
</div>
${newer(brief_id, stored?.supersededBy ?? null)}
${managersSection(brief, filings)}
${insidersSection(brief.insiders, filings)}
${totalsSection(brief)}
${gapsSection(brief)}
${proofSection(brief, stored === null ? null : json)}
<p class="small soft">${brief.explanation}</p>
<p class="small soft">${brief.disclaimer}</p>`;
  return page({
    title: `${requested_ticker} as of ${brief.insiders.window_end}`,
    description: headline,
    path,
    body,
    scripted: true,
  });
}

function newer(briefId: string, supersededBy: string | null): Html | null {
  if (supersededBy === null) return null;
  const { page: path } = briefPaths(supersededBy);
  return html`<div class="notice" role="note"><p>The ticker shows <a href="${path}">a newer brief</a> now: <a href="${diffPath(briefId, supersededBy)}">what changed</a>. This page stays as it is.</p></div>`;
}
