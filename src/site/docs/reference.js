/* Searches the reference: shows the endpoints, and the rows of their tables, that have every word. */

const box = document.querySelector('#search');
const found = document.querySelector('#found');
const groups = [...document.querySelectorAll('.group')];
const total = document.querySelectorAll('.chapter').length;

box.closest('[hidden]').hidden = false;
box.addEventListener('input', search);
// A browser that comes back to the page keeps what was typed.
search();

function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const group of groups) {
    const chapters = [...group.querySelectorAll('.chapter')];
    for (const chapter of chapters) chapter.hidden = !showMatches(chapter, words);
    const left = chapters.filter(({ hidden }) => !hidden).length;
    group.hidden = left === 0;
    shown += left;
  }
  found.textContent = words.length === 0 ? '' : `${shown} of ${total} endpoints`;
}

/** An endpoint that is described by the words is shown whole; else those of its rows that have them. */
function showMatches(chapter, words) {
  const title = `${chapter.querySelector('h3').textContent} ${chapter.querySelector('.route').textContent}`;
  const description = chapter.querySelector('.words');
  const isDescribed = has(`${title} ${description.textContent}`, words);
  description.hidden = !isDescribed;
  let isFound = isDescribed;
  for (const part of chapter.querySelectorAll('.part')) {
    const rows = [...part.querySelectorAll('tbody tr')];
    for (const row of rows) row.hidden = !isDescribed && !has(`${title} ${row.textContent}`, words);
    part.hidden = !isDescribed && rows.every(({ hidden }) => hidden);
    isFound ||= !part.hidden;
    const details = part.querySelector('details');
    if (details) details.open = !isDescribed && !part.hidden;
  }
  return isFound;
}

function has(text, words) {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}
