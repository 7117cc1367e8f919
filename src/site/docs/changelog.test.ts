import { expect, test } from 'vitest';
import { readChangelog } from './changelog.ts';
import { changelogPage } from './changelog-page.ts';

test('the changelog is read by release and by whom it concerns, links as their text', () => {
  const releases = readChangelog(`# Changelog

## Pending

- A line without a group.

### Operators

- \`tidemark doctor\` ([operations](docs/operations.md)).

## 0.1.0

- First.
`);
  expect(releases).toEqual([
    {
      name: 'Pending',
      groups: [
        { title: '', changes: ['A line without a group.'] },
        { title: 'Operators', changes: ['`tidemark doctor` (operations).'] },
      ],
    },
    { name: '0.1.0', groups: [{ title: '', changes: ['First.'] }] },
  ]);
});

test('the page has every change of the file', () => {
  expect(changelogPage().match(/<li>/g)?.length).toBeGreaterThan(100);
});
