/* Sortable tables and copy buttons. Every page is whole without them. */

for (const table of document.querySelectorAll('table[data-sortable]')) {
  const body = table.tBodies[0];
  const heads = [...table.querySelectorAll('thead th')];
  for (const [column, head] of heads.entries()) {
    if (head.querySelector('.visually-hidden')) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'sort';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const isDown = head.getAttribute('aria-sort') !== 'descending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', isDown ? 'descending' : 'ascending');
      const rows = [...body.rows].sort((a, b) => compare(sortValue(a, column), sortValue(b, column)));
      body.append(...(isDown ? rows.reverse() : rows));
    });
  }
}

function sortValue(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.sort ?? cell.textContent.trim();
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

function compare(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en');
}

if (navigator.clipboard) {
  for (const listing of document.querySelectorAll('pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    const frame = document.createElement('div');
    frame.className = 'copyable';
    listing.replaceWith(frame);
    frame.append(listing, button);
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(listing.textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2_000);
    });
  }
}
