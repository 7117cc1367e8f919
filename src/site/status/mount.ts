import type { Request } from 'express';
import type { Mount } from '../../api/app.ts';
import { requestIdOf } from '../../api/http/noted.ts';
import { encodedFor, jsonReply, send } from '../../api/http/reply.ts';
import { openStatus } from '../../api/status.ts';
import { pollWords, type StatusData } from '../../domain/wire/status.ts';
import { type Html, html, type Part } from '../html.ts';
import { page } from '../page.ts';
import { addPage, sendPage } from '../send-page.ts';
import { type Column, tableOf } from '../table.ts';

/** `/status`, free and without a key: a page for people, JSON for programs, always 200. */
export const mountStatus: Mount = (app, api) => {
  const read = openStatus(api);
  addPage(app, '/status', async (req, res) => {
    const data = await read();
    if (isPerson(req)) {
      return sendPage(req, res, statusPage(data), { caching: 'fresh', choosesBy: CHOOSES_BY });
    }
    send(res, requestIdOf(req), encodedFor(req, jsonReply(200, { data }), CHOOSES_BY));
  });
};

const CHOOSES_BY = 'Accept, ';

/** Browsers ask for HTML before anything else; a program that names nothing gets JSON. */
function isPerson(req: Request): boolean {
  return req.accepts(['json', 'html']) === 'html';
}

const WORDS: Readonly<Record<StatusData['status'], string>> = {
  ok: 'Everything works',
  degraded: 'Calls are answered, but something stands still',
  down: 'Calls cannot be answered',
};

/** The status of the service, for people. */
function statusPage(data: StatusData): string {
  const notice = data.status === 'ok' ? 'notice' : 'notice notice-bad';
  const body = html`<h1>Status</h1>
<p class="${notice}" role="status"><strong>${data.status}</strong>: ${WORDS[data.status]}.</p>
<section aria-labelledby="fresh">
<h2 id="fresh">How fresh</h2>
${table('Measures of freshness', [{ title: 'What' }, { title: 'Value' }], freshRows(data))}
</section>
<section aria-labelledby="quarters">
<h2 id="quarters">Filings by quarter</h2>
<p class="soft">By filing date. A quarantined filing cannot be read; it is left out of all figures, and its issuer’s briefs say so.</p>
${table(
  'Counts by quarter',
  [
    { title: 'Quarter to' },
    ...['Filed', 'Parsed', 'Quarantined'].map((title) => ({ title, isNumber: true })),
  ],
  data.quarters.map((one) => [one.quarter_end, one.filed, one.parsed, one.quarantined]),
)}
</section>
<section aria-labelledby="processes">
<h2 id="processes">Processes</h2>
${table(
  'Heartbeats',
  [
    { title: 'Role' },
    { title: 'Queues', isShort: true },
    { title: 'Release', isShort: true },
    { title: 'Last heartbeat' },
    { title: 'State', isShort: true },
  ],
  data.processes.map((one) => [
    one.role,
    one.queues.join(', ') || '–',
    one.version,
    moment(one.heartbeat_at),
    stateOf(one.alive),
  ]),
)}
</section>
<p class="soft">The same as JSON: <code>curl -H 'Accept: application/json'</code> this address.</p>`;
  return page({
    title: 'Status',
    description: 'How fresh and complete the answers are, and whether everything runs.',
    path: '/status',
    body,
  });
}

function freshRows(data: StatusData): readonly (readonly Part[])[] {
  return [
    ['“Today” for every answer', data.as_of ?? 'not known yet'],
    ['EDGAR’s feed was read', data.last_poll_at === null ? pollWords(data) : moment(data.last_poll_at)],
    [
      'Behind EDGAR',
      data.minutes_behind === null ? 'not known without a reading of the feed' : `${data.minutes_behind} min`,
    ],
    ...data.watermarks.map(({ form, through }) => [
      `Form ${form} indexed through`,
      through ?? 'not known yet',
    ]),
    ['Last event', data.events.head_seq],
    ['Release', data.version],
  ];
}

function table(name: string, columns: readonly Column[], rows: readonly (readonly Part[])[]): Html {
  return rows.length === 0 ? html`<p>Nothing yet.</p>` : tableOf({ name, columns, rows });
}

function stateOf(alive: boolean): Html {
  return alive
    ? html`<span class="badge badge-live">alive</span>`
    : html`<span class="badge badge-warn">silent</span>`;
}

function moment(at: string): Html {
  return html`<time datetime="${at}">${at.slice(0, 19).replace('T', ' ')} UTC</time>`;
}
