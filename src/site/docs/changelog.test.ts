import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { changelogPage, readChangelog } from './changelog-page.ts';

test('the changelog is read by release and by whom it concerns, links as their text', () => {
  const releases = readChangelog(`# Changelog

## 0.2.0

- A line without a group.

### Operators

- \`tidemark doctor\` ([operations](docs/operations.md)).

## 0.1.0

- First.
`);
  expect(releases).toEqual([
    {
      name: '0.2.0',
      groups: [
        { title: '', changes: ['A line without a group.'] },
        { title: 'Operators', changes: ['`tidemark doctor` (operations).'] },
      ],
    },
    { name: '0.1.0', groups: [{ title: '', changes: ['First.'] }] },
  ]);
});

test('the page has every change of the file', () => {
  const file = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8');
  const changes = file.match(/^- /gm) ?? [];
  expect(changes.length).toBeGreaterThan(10);
  expect(changelogPage().match(/<li>(?!<a)/g)).toHaveLength(changes.length);
});
