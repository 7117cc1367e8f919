import { expect, test } from 'vitest';
import { openApiDocument } from '../../api/openapi/document.ts';
import { loadConfig } from '../../config.ts';
import { guidePage } from './guide.ts';
import { llmsText } from './llms.ts';

const SITE_URL = 'https://example.test';

test('no document for customers has a command that would fetch a package of a name that is not ours', () => {
  const guide = String(guidePage({ ...loadConfig({}), siteUrl: SITE_URL, sandbox: [] }));
  const texts = [guide, llmsText(SITE_URL), JSON.stringify(openApiDocument(SITE_URL))];
  const fetched = texts.flatMap((text) => [...text.matchAll(/\b(?:npx|npm install|pip install) [^\s<]+/g)]);
  const names = new Set(fetched.map(([command]) => command.replaceAll('&quot;', '"')));
  expect([...names].sort()).toEqual([
    'npm install ./tidemark-client-1.0.0.tgz',
    'npx --no',
    'npx openapi-typescript',
    'pip install "./tidemark_client-1.0.0-py3-none-any.whl[pandas]"',
  ]);
});
