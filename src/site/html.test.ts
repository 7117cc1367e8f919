import { expect, test } from 'vitest';
import { html, markupOf, trusted } from './html.ts';

test('text is escaped in content and in attributes', () => {
  const name = `"><script>alert('1') & 2</script>`;
  expect(markupOf(html`<p title="${name}">${name}</p>`)).toBe(
    '<p title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;) &amp; 2&lt;/script&gt;">' +
      '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;) &amp; 2&lt;/script&gt;</p>',
  );
});

test('markup inside markup is not escaped again, and lists are joined', () => {
  const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`);
  expect(markupOf(html`<ul>${items}</ul>`)).toBe('<ul><li>a</li><li>&lt;b&gt;</li></ul>');
});

test('absent values are nothing, and zero is a value', () => {
  expect(markupOf(html`${null}${undefined}${false}${0}${''}${5n}`)).toBe('05');
});

test('an object that only looks like markup is not taken for it', () => {
  const forged = JSON.parse('{"markup":"<i>"}') as never;
  expect(markupOf(html`<p>${forged}</p>`)).not.toContain('<i>');
  expect(markupOf(html`${trusted('<i>')}`)).toBe('<i>');
});
