import { expect, test } from 'vitest';
import { z } from 'zod';
import { ENDPOINTS } from '../../api/endpoints/index.ts';
import { openApiDocument } from '../../api/openapi/document.ts';
import { markupOf } from '../html.ts';
import { referencePage } from './endpoint-page.ts';
import { endpointPath, fieldRows } from './endpoint-parts.ts';
import { inline } from './prose.ts';

const page = referencePage();

test('the reference has each endpoint under its anchor, with its page, every parameter and every error', () => {
  for (const endpoint of ENDPOINTS) {
    const [, own = ''] = page.split(`<h3 id="${endpoint.name}">`);
    const section = own.split('</section>')[0] ?? '';
    for (const name of Object.keys(endpoint.input.shape)) expect(section).toContain(`<code>${name}</code>`);
    for (const code of endpoint.errors) expect(section).toContain(`/docs/errors/${code}`);
    expect(section).toContain(`href="${endpointPath(endpoint)}"`);
  }
});

test('every name and every description of a field in the OpenAPI description is in the reference', () => {
  const text = textOf(page);
  const { components } = z
    .object({ components: z.object({ schemas: z.record(z.string(), z.unknown()) }) })
    .parse(openApiDocument('https://tidemark.test'));
  const { ErrorDetail: _, ...answers } = components.schemas;
  const missing = fieldsOf(answers).filter(
    ({ name, about }) => !text.includes(name) || !text.includes(textOf(markupOf(inline(about)))),
  );
  expect(missing).toEqual([]);
});

function textOf(markup: string): string {
  return markup.replace(/<[^>]+>/g, '');
}

type Described = { readonly name: string; readonly about: string };

function fieldsOf(node: unknown): Described[] {
  if (typeof node !== 'object' || node === null) return [];
  const within = Object.values(node).flatMap(fieldsOf);
  if (!('properties' in node) || typeof node.properties !== 'object') return within;
  const own = Object.entries(node.properties ?? {}).map(([name, field]) => ({
    name,
    about: String((field as { readonly description?: unknown }).description ?? ''),
  }));
  return [...own, ...within];
}

test('a field says which values it takes: lists, nulls, choices and variants', () => {
  const output = z.object({
    rows: z.array(z.object({ side: z.enum(['buy', 'sell']).nullable().describe('Of the trade') })),
    note: z.union([z.object({ code: z.literal('a') }), z.object({ code: z.literal('b') })]).optional(),
    ids: z.array(z.enum(['x', 'y'])),
    count: z.int().min(0),
  });
  const cells = fieldRows({ output }).map((row) => row.map((cell) => textOf(markupOf(cell))));
  expect(cells).toEqual([
    ['rows', 'list', ''],
    ['rows[].side', 'buy, sell, null', 'Of the trade'],
    ['notemay be absent', 'object', ''],
    ['note.code', 'a or b', ''],
    ['ids', 'list of x, y', ''],
    ['count', 'integer, at least 0', ''],
  ]);
});
