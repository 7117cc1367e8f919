import { csvOf } from '../../api/endpoint/csv.ts';
import type { Endpoint, ReadCall } from '../../api/endpoint/endpoint.ts';
import { creditText } from '../../api/http/problem.ts';
import type { Answered } from '../../api/metering/idempotency.ts';
import { grouped, percentWords } from '../../domain/brief/words/numbers.ts';
import { humanUrl } from '../../domain/filing/filing.ts';
import { parseAccession, parseCik } from '../../domain/ids.ts';
import { signedShares } from '../../site/brief/wording.ts';
import { type Html, html } from '../../site/html.ts';
import { page } from '../../site/page.ts';

/** A page that is paid for like the calls that it shows, by one charge. */
export type PaidPage = {
  /** In the ledger and in the usage of the key. */
  readonly name: string;
  readonly credits: number;
  readonly title: string;
  readonly shows: string;
  readonly read: (values: Readonly<Record<string, string>>) => ReadCall;
  /** The document, or the path below which it stands. */
  readonly show: (answered: Answered, opened: Opened) => Shown;
  /** The table of the page as CSV; not for a page without one. */
  readonly csv?: (answered: Answered) => string;
};

/** Where a page was opened. `button` leads to it again. */
export type Opened = { readonly path: string; readonly button: string };

export type Shown =
  | { readonly kind: 'page'; readonly document: string }
  | { readonly kind: 'at'; readonly path: string };

/** A page over several calls. `view` gets their bodies, and `table` is the call whose rows are its table. */
export function pageOfCalls(
  { calls, table }: { readonly calls: readonly Endpoint[]; readonly table: Endpoint },
  view: (bodies: readonly unknown[], opened: Opened) => string,
  words: Pick<PaidPage, 'name' | 'title' | 'shows'>,
): PaidPage {
  return {
    ...words,
    credits: calls.reduce((sum, { credits }) => sum + credits, 0),
    read: (values) => readAll(calls.map((call) => call.read(values))),
    show: (answered, opened) => ({ kind: 'page', document: view(bodiesOf(answered), opened) }),
    csv: (answered) => csvOf(table, bodiesOf(answered)[calls.indexOf(table)]),
  };
}

function bodiesOf(answered: Answered): readonly unknown[] {
  return answered.kind === 'body' ? (answered.body as readonly unknown[]) : [];
}

/** The link to the table of a page as a file. It is the button of the page again: the page is not charged twice. */
export function csvLink({ button }: Opened): Html {
  return html`<a href="${button}&amp;as=csv" rel="nofollow">As CSV</a>`;
}

/** All calls as one, whose body is the list of theirs. The first problem is the answer. */
function readAll(reads: readonly ReadCall[]): ReadCall {
  const runs = reads.flatMap((read) => (read.ok ? [read.run] : []));
  const [invalid] = reads.filter((read) => !read.ok);
  if (invalid !== undefined) return invalid;
  return {
    ok: true,
    input: null,
    run: async (reading) => {
      const bodies: unknown[] = [];
      for (const run of runs) {
        const outcome = await run(reading);
        if (outcome.kind === 'problem') return outcome;
        bodies.push(outcome.kind === 'body' ? outcome.body : null);
      }
      return { kind: 'body', body: bodies };
    },
  };
}

/** A button that leads to a paid page. */
type Button = { readonly page: PaidPage; readonly href: string };

/** What can be opened here, each with its price. */
export function offerPage(what: string, path: string, buttons: readonly Button[]): string {
  const body = html`<h1>${what}</h1>
<div class="columns">${buttons.map(offerCard)}</div>
<p class="soft">A page is charged when it is complete, and never for an error. Opening it again within ten minutes is free, five times, while nothing on it has changed.</p>`;
  return page({ title: what, description: `Pages about ${what}, each with its price.`, path, body });
}

function offerCard({ page: { title, shows, credits }, href }: Button): Html {
  return html`<section class="card">
<h2>${title}</h2>
<p>${shows}</p>
<p class="actions"><a class="button" href="${href}" rel="nofollow">Open for ${creditText(credits)}</a></p>
</section>`;
}

/** A change between two reports, as holders and holdings have it. */
type Change = {
  readonly change_type: string;
  readonly share_delta: string;
  readonly pct_delta: number;
  readonly quality: Quality;
};

type Quality = { readonly status: string };

/** Nothing where all is clear. */
export function doubtBadge({ status }: Quality): Html | null {
  return status === 'clear' ? null : html` <span class="badge badge-warn">${status}</span>`;
}

/** The change of a row: what was done, by how much, and whether it is doubted. */
export function changeCell({ change_type, share_delta, pct_delta, quality }: Change) {
  const percent = change_type === 'ADDED' || change_type === 'REDUCED' ? ` (${percentWords(pct_delta)})` : '';
  return {
    content: html`${signedShares(share_delta)}<span class="below">${change_type.toLowerCase()}${percent}${doubtBadge(quality)}</span>`,
    sort: share_delta,
  };
}

/** A number with a link to the report that it was read from. */
export function reportLink(filer: string, evidenceIds: readonly string[], shares: string): Html {
  const cik = parseCik(filer);
  const accession = parseAccession(evidenceIds[0]?.split(':').at(-1) ?? '');
  if (cik === null || accession === null) return html`${grouped(shares)}`;
  return html`<a href="${humanUrl(cik, accession)}">${grouped(shares)}</a>`;
}
