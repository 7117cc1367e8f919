import { type Difference, differencesOf } from '../../domain/brief/words/differences.ts';
import type { Brief } from '../../domain/wire/brief.ts';
import { type Html, html } from '../html.ts';
import { page } from '../page.ts';
import { tableOf } from '../table.ts';
import { afterColon, words } from './wording.ts';

/** What changed from one stored brief to another (rule 11.20). Both have their own pages, so this address is permanent, too. */
export function diffPath(from: string, to: string): string {
  return `/briefs/${from}/diff/${to}`;
}

export function diffPage(from: Brief, to: Brief): string {
  const differences = differencesOf(from, to);
  // The headlines stand in the table of the two briefs.
  const listed = differences.filter(({ code }) => code !== 'headline');
  const ticker = to.requested_ticker;
  const days = `${from.insiders.window_end} to ${to.insiders.window_end}`;
  const body = html`<div class="brief-head">
<p class="eyebrow">Two capital-change briefs compared</p>
<h1>What changed <span class="soft">${ticker}</span></h1>
<p class="lead">${lead(from, to, { listed: listed.length, all: differences.length })}</p>
</div>
${sides(from, to)}
${listed.length === 0 ? null : list(listed)}
<p class="small soft">Both briefs stay at their addresses for good. ${from.brief_id === to.brief_id ? null : html`<a href="${diffPath(to.brief_id, from.brief_id)}">Compare in the other direction</a>`}</p>`;
  return page({
    title: `${ticker}: what changed, ${days}`,
    description: `What changed between two briefs of ${ticker}, ${days}.`,
    path: diffPath(from.brief_id, to.brief_id),
    body,
  });
}

function lead(from: Brief, to: Brief, { listed, all }: { listed: number; all: number }): string {
  if (from.brief_id === to.brief_id) return 'This is the same brief twice.';
  if (from.facts_id === to.facts_id)
    return 'Both say the same about the stock. What differs is when it was said, or what else is known.';
  if (all === 0) return 'No difference in what this page compares; the facts behind it differ.';
  if (listed === 0) return 'Only the headlines differ.';
  return `${listed} ${listed === 1 ? 'thing differs' : 'things differ'}${all === listed ? '' : ', and the headlines'}.`;
}

function sides(from: Brief, to: Brief): Html {
  const columns = [
    { title: 'Brief' },
    { title: 'As of', isShort: true },
    { title: 'Outcome', isShort: true },
    { title: 'Headline' },
  ];
  const row = (label: string, { brief_id, insiders, outcome, headline }: Brief) => [
    html`<a href="/briefs/${brief_id}">${label}</a>`,
    html`<span class="nowrap">${insiders.window_end}</span>`,
    words(outcome),
    afterColon(headline),
  ];
  return tableOf({ name: 'The two briefs', columns, rows: [row('Before', from), row('After', to)] });
}

function list(differences: readonly Difference[]): Html {
  return html`<section aria-labelledby="differences">
<h2 id="differences">Differences</h2>
<ul>${differences.map(({ text }) => html`<li>${text}</li>`)}</ul>
</section>`;
}
