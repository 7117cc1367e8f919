import { type Html, html, type Part } from './html.ts';

export type Column = {
  readonly title: string;
  readonly isNumber?: boolean;
  /** Short text: two such cells share a line of the card that a row is on a phone. */
  readonly isShort?: boolean;
  /** What it shows explains itself: the title is only read aloud. */
  readonly isUnnamed?: boolean;
};

/** What stands in a cell. `sort`: what it is sorted by, where its text does not say it. */
type Cell = { readonly content: Part; readonly sort: string | number };

type Table = {
  /** Names what scrolls; no heading of the page says the same. */
  readonly name: string;
  readonly caption?: Part;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly (Part | Cell)[])[];
  /** Which cell names its row; the first one unless given. */
  readonly headAt?: number;
  /** By the script of the site: send the page with `SCRIPTED`. */
  readonly isSortable?: boolean;
};

/**
 * Every table of the site. It scrolls by itself, the page never does, and on a phone each row becomes a card
 * whose cells say their titles.
 */
export function tableOf({
  name,
  caption = null,
  columns,
  rows,
  headAt = 0,
  isSortable = false,
}: Table): Html {
  const heads = columns.map(
    ({ title, isUnnamed, ...kind }) =>
      html`<th scope="col"${classOf(kind)}>${isUnnamed ? html`<span class="visually-hidden">${title}</span>` : title}</th>`,
  );
  const lines = rows.map((cells) => {
    const written = cells.map((cell, at) => cellOf(cell, columns[at], at === headAt));
    return html`<tr>${written}</tr>
`;
  });
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${name}"><table class="fold"${isSortable ? html` data-sortable` : null}>
${
  caption === null
    ? null
    : html`<caption>${caption}</caption>
`
}<thead><tr>${heads}</tr></thead>
<tbody>${lines}</tbody>
</table></div>`;
}

function cellOf(cell: Part | Cell, column: Column | undefined, isHead: boolean): Html {
  const { content, sort } = isCell(cell) ? cell : { content: cell, sort: null };
  const sorted = sort === null ? null : html` data-sort="${sort}"`;
  if (isHead) return html`<th scope="row"${sorted}>${content}</th>`;
  const label = column === undefined || column.isUnnamed ? null : html` data-label="${column.title}"`;
  return html`<td${classOf(column ?? {})}${label}${sorted}>${content}</td>`;
}

function isCell(cell: Part | Cell): cell is Cell {
  return typeof cell === 'object' && cell !== null && 'content' in cell;
}

function classOf({ isNumber, isShort }: Pick<Column, 'isNumber' | 'isShort'>): Html | null {
  if (isNumber) return html` class="number"`;
  return isShort ? html` class="short"` : null;
}
