import { type Entry, MAX_RECENT, type Recent } from '../../credits/ledger/recent.ts';
import { type Html, html } from '../../site/html.ts';
import { tableOf } from '../../site/table.ts';
import type { KeyDoc } from '../../store/account/keys.ts';
import { grouped, moment } from './fields.ts';

/** The latest changes of the balance, and whether there may be more. */
export function chargesSection({ entries, isWhole }: Recent, keys: readonly KeyDoc[]): Html {
  const labels = new Map(keys.map((key) => [key._id, key.label]));
  return html`<section aria-labelledby="charges">
<h2 id="charges">Recent charges</h2>
${entries.length === 0 ? html`<p>No charges yet.</p>` : table(entries, labels)}
${isWhole ? null : html`<p class="soft">The latest ${MAX_RECENT} entries. There are older ones.</p>`}
</section>`;
}

function table(entries: readonly Entry[], labels: ReadonlyMap<string, string>): Html {
  return tableOf({
    name: 'Changes of the balance',
    columns: [
      { title: 'Time' },
      { title: 'What' },
      { title: 'Key', isShort: true },
      { title: 'Credits', isNumber: true },
      { title: 'Balance', isNumber: true },
    ],
    rows: entries.map((entry) => [
      moment(entry.at),
      wordsOf(entry),
      keyOf(entry, labels),
      `${entry.delta > 0 ? '+' : '−'}${grouped(Math.abs(entry.delta))}`,
      grouped(entry.balanceAfter),
    ]),
  });
}

function wordsOf({ kind, tool }: Entry): Html {
  if (kind === 'grant') return html`Credits added`;
  if (kind === 'open') return html`Balance restored`;
  if (kind !== 'charge') return html`<code>${tool}</code> <span class="badge">refunded</span>`;
  return html`<code>${tool}</code>`;
}

function keyOf({ keyId }: Entry, labels: ReadonlyMap<string, string>): Html {
  if (keyId === '') return html`<span class="soft">none</span>`;
  const label = labels.get(keyId) ?? '';
  return html`<code>${keyId}</code>${label === '' ? null : html` <span class="soft">${label}</span>`}`;
}
