// Repairs what the renderer leaves to nobody who hears a page or has no mouse: buttons without a name, states
// that a button cannot have, and boxes that only a mouse can scroll. Its own faults, as axe finds them.
const rendered = document.getElementById('reference');

const repairs = {
  'button[aria-selected]': (button) => {
    // Of tabs and options alone. What is meant is where the reader is.
    if (button.ariaSelected === 'true') button.ariaCurrent = 'location';
    else button.removeAttribute('aria-current');
    button.removeAttribute('aria-selected');
  },
  // A search is the place of a field; without the role the button is called what it says.
  'button[role="search"]': (button) => button.removeAttribute('role'),
  // What it says is shown only while the mouse is over it.
  'button.scalar-code-copy:not([aria-label])': (button) => {
    button.ariaLabel = 'Copy';
  },
  'button:not([aria-label], [aria-labelledby], [title])': (button) => {
    if (button.textContent.trim() === '') button.ariaLabel = button.matches('.code-copy') ? 'Copy' : 'More';
  },
  'pre:not([tabindex]), ul.endpoints:not([tabindex])': (box) => {
    box.tabIndex = 0;
  },
};

function repair() {
  for (const [selector, how] of Object.entries(repairs)) rendered.querySelectorAll(selector).forEach(how);
}

let isDue = false;
new MutationObserver(() => {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    repair();
  });
}).observe(rendered, {
  subtree: true,
  childList: true,
  attributes: true,
  attributeFilter: ['aria-selected'],
});
