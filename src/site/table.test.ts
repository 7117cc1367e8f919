import { expect, test } from 'vitest';
import { html, markupOf } from './html.ts';
import { tableOf } from './table.ts';

test('a row names itself in one cell, and every other cell says its title for the card on a phone', () => {
  const table = markupOf(
    tableOf({
      name: 'Trades listed',
      columns: [
        { title: 'Day', isShort: true },
        { title: 'Who' },
        { title: 'Bar', isUnnamed: true },
        { title: 'Value', isNumber: true },
      ],
      rows: [['2018-10-05', html`<b>A</b>`, 'x', { content: '$1 m', sort: 1_000_000 }]],
      headAt: 1,
    }),
  );
  expect(table).toContain('<td class="short" data-label="Day">2018-10-05</td>');
  expect(table).toContain('<th scope="row"><b>A</b></th>');
  expect(table).toContain('<td>x</td>');
  expect(table).toContain('<td class="number" data-label="Value" data-sort="1000000">$1 m</td>');
  expect(table).toContain('<span class="visually-hidden">Bar</span>');
});
