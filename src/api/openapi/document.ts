import type { Endpoint } from '../endpoint/endpoint.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { openComponents } from './components.ts';
import { headerComponents } from './headers.ts';
import { parameterComponents, parametersOf } from './parameters.ts';
import { INFO } from './prose.ts';
import { type Building, bodySchemas, responseComponents, responsesOf } from './responses.ts';

/** The OpenAPI 3.1 description of the endpoints, derived from their list alone. */
export function openApiDocument(siteUrl: string): Record<string, unknown> {
  const components = openComponents();
  const building: Building = { components, siteUrl };
  const bodies = bodySchemas(ENDPOINTS, components);
  const responses = responseComponents(building);
  const paths = Object.fromEntries(
    ENDPOINTS.map((endpoint) => [endpoint.path, { get: operation(endpoint, building) }]),
  );
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: `${siteUrl}/v1` }],
    externalDocs: { description: 'Guide', url: `${siteUrl}/docs` },
    security: [{ key: [] }],
    tags: tags(),
    paths,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: `An API key, made at ${siteUrl}/connect. It is read from this header only.`,
        },
      },
      schemas: { ...bodies, ...components.schemas },
      parameters: parameterComponents(),
      headers: headerComponents([paths, responses]),
      responses,
    },
  };
}

function operation(endpoint: Endpoint, building: Building): unknown {
  return {
    operationId: endpoint.name,
    summary: endpoint.title,
    description: `${endpoint.summary}.\n\n${endpoint.description}\n\n${priceOf(endpoint)}`,
    tags: [tagOf(endpoint)],
    'x-credit-cost': endpoint.credits,
    ...(endpoint.hasRule ? { 'x-parameter-rule': true } : {}),
    parameters: parametersOf(endpoint),
    responses: responsesOf(endpoint, building),
  };
}

/** In words, as a reader of the reference sees no extension. */
export function priceOf({ credits }: Endpoint): string {
  if (credits === 0) return 'Free.';
  return `Costs ${credits} ${credits === 1 ? 'credit' : 'credits'}.`;
}

/** The first part of the path groups the operations. */
function tagOf({ path }: Endpoint): string {
  const first = path.split('/')[1] ?? '';
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}`;
}

function tags(): unknown[] {
  const names = [...new Set(ENDPOINTS.map(tagOf))];
  return names.map((name) => ({
    name,
    description: ENDPOINTS.filter((endpoint) => tagOf(endpoint) === name)
      .map((endpoint) => endpoint.title)
      .join(' · '),
  }));
}
