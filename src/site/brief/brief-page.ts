import { capitalChangeBrief } from '../../api/endpoints/capital-change-brief.ts';
import { creditText } from '../../api/http/problem.ts';
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

/** `isSuperseded`: the ticker shows another brief now, which is paid for. */
type StoredAs = { readonly isSuperseded: boolean };

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
${stored?.isSuperseded === true ? newer(brief) : null}
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

/** Leads to the newer brief by its price, never by its id: whoever has an older page has not bought it. */
function newer({ requested_ticker, brief_id }: Brief): Html {
  return html`<div class="notice" role="note"><p>There is <a href="/stocks/${requested_ticker}/brief">a newer brief of ${requested_ticker}</a>, for ${creditText(capitalChangeBrief.credits)}. Its id at the end of <code>${diffPath(brief_id, '…')}</code> opens what changed. This page stays as it is.</p></div>`;
}
