import { pollWords } from '../src/domain/wire/status.ts';
import { type Html, html, markupOf, type Part, trusted } from '../src/site/html.ts';
import type { Facts } from './facts.ts';

const STYLE = trusted(`
:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}
body{margin:0;background:light-dark(#fff,#121212);color:light-dark(#16262b,#e8eaea)}
main{max-width:72rem;margin:2rem auto;padding:0 1rem}
a{color:light-dark(#0d5c6b,#7fcad6)}
table{border-collapse:collapse;width:100%}
th,td{padding:.25rem .6rem;border-bottom:1px solid color-mix(in srgb,currentcolor 20%,transparent);text-align:left}
td{font-variant-numeric:tabular-nums}
tbody th{white-space:nowrap}
.scroll{overflow-x:auto}
.bad{border-left:4px solid #c0392b;padding-left:.8rem}
.ok{border-left:4px solid #2c8a4b;padding-left:.8rem}
svg{width:7rem;height:1.4rem}
`);

/** The page of an installation for its operators: the status with its reasons, and what stands behind it. */
export function operatorsPage(facts: Facts): string {
  const { status, credits, edgar, corrections, at } = facts;
  const { data, problems } = status;
  const document = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Tidemark operators</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body>
<main>
<h1>Tidemark operators</h1>
<p><a href="/">Bull Board</a> · <a href="/metrics">Metrics</a> · read ${at.toISOString()}</p>
<div class="${problems.length === 0 ? 'ok' : 'bad'}" role="status"><p><strong>${data.status}</strong>, release ${data.version}, as of ${data.as_of ?? 'no day yet'}</p>
<ul>${problems.map((problem) => html`<li>${problem}</li>`)}</ul></div>
${section(
  'Freshness',
  ['What', 'Value'],
  [
    ['Feed read', pollWords(data)],
    ['Minutes behind EDGAR', data.minutes_behind],
    ...data.watermarks.map(({ form, through }) => [`Watermark of ${form}`, through]),
    ['Last event', data.events.head_seq],
    ['EDGAR', edgar.blockedMs > 0 ? `blocked for ${Math.ceil(edgar.blockedMs / 1_000)} s` : 'not blocked'],
    ['Requests a second allowed', edgar.rate],
  ],
)}
${section('Queues', ['Queue', 'Waiting', 'At work', 'Later', 'Next waits', 'Job takes', 'Done in a day', 'Failed in a day', 'Day'], queueRows(facts))}
${section(
  'Coverage',
  ['Filed in the quarter to', 'Filed', 'Parsed', 'Quarantined'],
  data.quarters.map((one) => [one.quarter_end, one.filed, one.parsed, one.quarantined]),
)}
${section(
  'Credits',
  ['What', 'Value'],
  [
    [
      'Charged, not in MongoDB yet',
      `${credits.credits_at_risk} credits in ${credits.credits_undrained} entries`,
    ],
    ['Age of the oldest', seconds(credits.credits_drain_lag_ms / 1_000)],
    ['Drainer', credits.credits_drainer],
    ['Organisations whose charges are stopped', credits.credits_stopped],
    ['All balances at the last check', credits.credits_balance],
    ['Last check', credits.credits_checked_at ?? 'never'],
    ['It found', credits.credits_check ?? 'not known'],
    ['Last check of every row', credits.credits_whole_checked_at ?? 'never'],
    ['It found', credits.credits_whole_check ?? 'not known'],
  ],
)}
${section(
  'Processes',
  ['Role', 'Queues', 'Release', 'Heartbeat', 'Alive'],
  data.processes.map(({ role, queues, version, heartbeat_at, alive }) => [
    ...[role, queues.join(', '), version, heartbeat_at, alive ? 'yes' : 'no'],
  ]),
)}
${section(
  'Corrections',
  ['Ticker', 'At', 'Brief', 'In place of'],
  corrections.map((one) => [one.ticker, one.at, one._id, one.from]),
)}
</main></body></html>
`;
  return markupOf(document);
}

function queueRows({ queues }: Facts): Part[][] {
  return queues.map((one) => [
    html`<a href="/queue/${one.name}">${one.name}</a>`,
    ...[one.waiting, one.active, one.delayed, seconds(one.oldestSeconds), seconds(one.jobSeconds)],
    ...[one.completed, one.failed, trend(one.hours)],
  ]);
}

function section(title: string, heads: readonly string[], rows: readonly (readonly Part[])[]): Html {
  return html`<h2>${title}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="${title}, as a table"><table><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([
      name,
      ...cells
    ]) => html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell ?? '–'}</td>`)}</tr>
`,
  )}</tbody></table></div>`;
}

function seconds(value: number | null): string | null {
  return value === null ? null : `${value < 10 ? value.toFixed(2) : Math.round(value)} s`;
}

/** Finished jobs by the hour, the last one to the right. */
function trend(hours: readonly number[]): Html {
  const most = Math.max(1, ...hours);
  const bars = hours.map((count, hour) => {
    const height = (count / most) * 20;
    return html`<rect x="${hour * 4}" y="${20 - height}" width="3" height="${height}" fill="currentColor"/>`;
  });
  return html`<svg viewBox="0 0 96 20" role="img" aria-label="${hours.join(', ')} by the hour">${bars}</svg>`;
}
