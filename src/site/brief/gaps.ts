import type { Brief } from '../../domain/wire/brief.ts';
import { type Html, html } from '../html.ts';
import { tableOf } from '../table.ts';
import { filingsOf, proven, words } from './wording.ts';

/** What the brief cannot know, in its own sentences, and the doubts with one example each. */
export function gapsSection(brief: Brief): Html {
  const { limitations, limitation_codes } = brief.coverage;
  const scoped = limitations.map((sentence, at) => ({ sentence, scope: limitation_codes[at]?.scope }));
  const sentencesOf = (scope: string) =>
    scoped.filter((one) => one.scope === scope).map(({ sentence }) => html`<li>${sentence}</li>`);
  const [own, common] = [sentencesOf('ticker'), sentencesOf('corpus')];
  return html`<section aria-labelledby="gaps">
<h2 id="gaps">What is not known</h2>
${own.length === 0 ? html`<p>Nothing limits what is said of this stock alone.</p>` : html`<ul>${own}</ul>`}
${doubts(brief)}
${common.length === 0 ? null : html`<h3>In every brief of this day</h3><ul>${common}</ul>`}
</section>`;
}

function doubts(brief: Brief): Html | null {
  const { groups } = brief.quality_artifacts;
  if (groups.length === 0) return null;
  const filings = filingsOf(brief);
  const rows = groups.map(({ reason, severity, observation_count, description, examples }) => {
    const [example] = examples;
    const links = (example?.evidence_ids ?? []).map((id) =>
      proven(` ${id.split(':').at(-1)}`, filings.get(id)),
    );
    return [
      html`${words(reason)}<span class="below">${severity}</span>`,
      observation_count,
      html`${description}${example === undefined ? null : html`<span class="below">${example.detail}${links}</span>`}`,
    ];
  });
  return html`<h3>Doubts and corrections</h3>
${tableOf({
  name: 'Doubts by reason',
  columns: [{ title: 'Reason' }, { title: 'How often', isNumber: true }, { title: 'What it means' }],
  rows,
})}`;
}
