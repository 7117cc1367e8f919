import type { Endpoint } from '../endpoint/endpoint.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { type JsonSchema, outputSchema } from './json-schema.ts';

/** Values in an answer that are parameters of other calls. `within`: the members that have the property. */
const LEADS = [
  { parameter: 'cik', property: 'cik', within: ['data', 'fund'] },
  { parameter: 'ticker', property: 'ticker', within: ['entity', 'events', 'holdings'] },
  // In place of the entity's, which is empty where no security has the ticker.
  { parameter: 'ticker', property: 'requested_ticker', within: ['data'] },
  { parameter: 'brief_id', property: 'brief_id', within: ['data'] },
  { parameter: 'accession', property: 'accession_number', within: ['events', 'transactions'] },
];

/** The Links of a 200: calls whose path parameter it contains, and its next page by cursor. */
export function linksOf(endpoint: Endpoint): Record<string, unknown> {
  const properties = propertiesIn(outputSchema(endpoint.output), '', '');
  const links = LEADS.flatMap((lead) => {
    const found = properties.find(
      ({ name, within }) => name === lead.property && lead.within.includes(within),
    );
    if (found === undefined) return [];
    const targets = ENDPOINTS.filter((one) => one !== endpoint && Object.hasOwn(one.params, lead.parameter));
    return targets.map((target) => link(target, lead.parameter, found.pointer));
  });
  const cursor = properties.find(({ name }) => name === 'next_cursor');
  if (cursor !== undefined) links.push(link(endpoint, 'since', cursor.pointer));
  return Object.fromEntries(links);
}

function link(target: Endpoint, parameter: string, pointer: string): [string, unknown] {
  const described = { operationId: target.name, parameters: { [parameter]: `$response.body#${pointer}` } };
  return [target.name, { ...described, description: target.summary }];
}

type Property = { readonly name: string; readonly within: string; readonly pointer: string };

/** Every property with a JSON pointer to it; for a list, of its first item. */
function propertiesIn(schema: JsonSchema, within: string, pointer: string): Property[] {
  const items = schema['items'] as JsonSchema | undefined;
  if (items !== undefined) return propertiesIn(items, within, `${pointer}/0`);
  const members = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const here = members.map(([name]) => ({ name, within, pointer: `${pointer}/${name}` }));
  return [...here, ...members.flatMap(([name, member]) => propertiesIn(member, name, `${pointer}/${name}`))];
}
