import { grouped, percentWords } from '../../domain/brief/words/numbers.ts';
import { humanUrl } from '../../domain/filing/filing.ts';
import { parseAccession, parseCik } from '../../domain/ids.ts';
import { signedShares } from '../../site/brief/wording.ts';
import { type Html, html } from '../../site/html.ts';

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
