import { addDays } from '../../domain/calendar.ts';
import { groupBy } from '../../domain/group.ts';
import type { IsoDate } from '../../domain/ids.ts';
import { type Html, html } from '../../site/html.ts';
import { tableOf } from '../../site/table.ts';
import type { KeyDoc } from '../../store/account/keys.ts';
import type { Usage } from '../../store/account/usage.ts';
import { grouped } from './fields.ts';

const DAYS = 30;
const WIDTH = 720;
const HEIGHT = 120;
const GAP = 4;

/** The days of the usage that is shown, both included (UTC). */
export function usageDays(now: Date): { readonly from: IsoDate; readonly to: IsoDate } {
  const to = now.toISOString().slice(0, 10) as IsoDate;
  return { from: addDays(to, 1 - DAYS), to };
}

/** What the organisation spent: a bar per day, and a row per key and tool. */
export function usageSection(usage: readonly Usage[], keys: readonly KeyDoc[], now: Date): Html {
  const { from, to } = usageDays(now);
  const spent = usage.reduce((sum, { credits }) => sum + credits, 0);
  return html`<section aria-labelledby="usage">
<h2 id="usage">Usage</h2>
<p>${grouped(spent)} credits from ${from} to ${to}. <a href="/connect/usage.csv">As CSV</a></p>
${usage.length === 0 ? null : html`${bars(usage, from)}${table(usage, keys)}`}
</section>`;
}

function bars(usage: readonly Usage[], from: IsoDate): Html {
  const byDay = groupBy(usage, ({ day }) => day);
  const days = Array.from({ length: DAYS }, (_, at) => {
    const day = addDays(from, at);
    const credits = (byDay.get(day) ?? []).reduce((sum, one) => sum + one.credits, 0);
    return { day, credits };
  });
  const most = Math.max(1, ...days.map(({ credits }) => credits));
  const step = WIDTH / DAYS;
  const shapes = days.map(({ day, credits }, at) => {
    const height = (credits / most) * (HEIGHT - GAP);
    return html`<rect class="bar-held" x="${at * step + GAP / 2}" y="${(HEIGHT - height).toFixed(1)}" width="${step - GAP}" height="${height.toFixed(1)}"><title>${day}: ${grouped(credits)} credits</title></rect>`;
  });
  return html`<figure class="dots">
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Credits a day; the CSV lists them.">${shapes}<path class="bar-zero" d="M0 ${HEIGHT}h${WIDTH}"/></svg>
<figcaption><span>${from}</span><span>at most ${grouped(most)} a day</span><span>${days.at(-1)?.day}</span></figcaption>
</figure>`;
}

function table(usage: readonly Usage[], keys: readonly KeyDoc[]): Html {
  const labels = new Map(keys.map(({ _id, label }) => [_id, label]));
  const sums = [...groupBy(usage, ({ keyId, tool }) => `${keyId}|${tool}`).values()].map((group) => ({
    keyId: group[0]?.keyId ?? '',
    tool: group[0]?.tool ?? '',
    calls: group.reduce((sum, one) => sum + one.calls, 0),
    credits: group.reduce((sum, one) => sum + one.credits, 0),
  }));
  return tableOf({
    name: 'Calls by key and tool',
    columns: [
      { title: 'Key' },
      { title: 'Call' },
      { title: 'Calls', isNumber: true },
      { title: 'Credits', isNumber: true },
    ],
    rows: sums
      .sort((a, b) => b.credits - a.credits)
      .map(({ keyId, tool, calls, credits }) => [
        html`<code>${keyId}</code> <span class="soft">${labels.get(keyId)}</span>`,
        html`<code>${tool}</code>`,
        grouped(calls),
        grouped(credits),
      ]),
  });
}

/** One line per day, key and tool (RFC 4180). No field can hold a comma or a quote. */
export function usageCsv(usage: readonly Usage[]): string {
  const lines = usage.map(({ day, keyId, tool, calls, credits, voids }) =>
    [day, keyId, tool, calls, credits, voids].join(','),
  );
  return ['day,key_id,tool,calls,credits,voids', ...lines, ''].join('\r\n');
}
