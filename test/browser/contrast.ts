/**
 * A script for the page: the texts whose colour is nearer to their ground than WCAG AA allows (4.5, or 3
 * for large ones). As text, because it knows the browser's names and the tests do not.
 */
export const CONTRAST = `(() => {
  const channel = (value) => {
    const part = value / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  const read = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const groundOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const ground = read(getComputedStyle(at).backgroundColor);
      if (ground.length < 4 || ground[3] === 1) return ground;
    }
    return [255, 255, 255];
  };
  const faults = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const text = texts.currentNode.textContent.trim();
    if (text === '' || element.closest('.visually-hidden, script, style')) continue;
    const style = getComputedStyle(element);
    const [a, b] = [light(read(style.color)), light(groundOf(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const needed = Number.parseFloat(style.fontSize) >= 24 ? 3 : 4.5;
    if (ratio < needed) faults.push(text.slice(0, 40) + ': ' + ratio.toFixed(2));
  }
  return faults;
})()`;
