import type { Endpoint } from '../endpoint/endpoint.ts';

/** A program that makes the example call of an endpoint, with the key in `TIDEMARK_KEY`. */
export type Sample = {
  readonly lang: 'Shell' | 'TypeScript' | 'Python';
  readonly label: string;
  readonly source: string;
};

/** The example call in each language. `npm run clients` runs every one of them against a running API. */
export function samplesOf(endpoint: Endpoint, siteUrl: string): readonly Sample[] {
  return [
    { lang: 'Shell', label: 'curl', source: curlSample(endpoint, siteUrl) },
    { lang: 'TypeScript', label: 'TypeScript', source: typescriptSample(endpoint, siteUrl) },
    { lang: 'Python', label: 'Python', source: pythonSample(endpoint, siteUrl) },
  ];
}

function curlSample(endpoint: Endpoint, siteUrl: string): string {
  const { path, query } = exampleCall(endpoint);
  const search = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return `curl -s -H "Authorization: Bearer $TIDEMARK_KEY" \\
  "${siteUrl}/v1${path}${search === '' ? '' : `?${search}`}"`;
}

function typescriptSample(endpoint: Endpoint, siteUrl: string): string {
  const { params, query } = exampleCall(endpoint);
  const given = [
    ...(params.length === 0 ? [] : [`path: ${literal(params)}`]),
    ...(query.length === 0 ? [] : [`query: ${literal(query)}`]),
  ];
  const call = [JSON.stringify(endpoint.path), ...(given.length === 0 ? [] : ['{ params }'])].join(', ');
  return `import { answerOf, tidemark } from "tidemark-client";

const client = tidemark({ baseUrl: "${siteUrl}", key: process.env.TIDEMARK_KEY ?? "" });
${given.length === 0 ? '' : `const params = { ${given.join(', ')} };\n`}const answer = answerOf(await client.get(${call}));
console.log(answer.data);`;
}

function pythonSample(endpoint: Endpoint, siteUrl: string): string {
  const { path, query } = exampleCall(endpoint);
  const given = query.map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `import os
from tidemark_client import Tidemark

with Tidemark("${siteUrl}", os.environ["TIDEMARK_KEY"]) as client:
    answer = client.get(${[JSON.stringify(path), ...given].join(', ')})

print(answer["data"])`;
}

type Argument = readonly [name: string, value: string | number];

/** The example of an endpoint as its address below `/v1`, and which of the arguments stand where. */
function exampleCall({ path, params, example }: Endpoint) {
  const given: readonly Argument[] = Object.entries(example);
  return {
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(example[name]))),
    params: given.filter(([name]) => name in params),
    query: given.filter(([name]) => !(name in params)),
  };
}

/** Arguments as an object of TypeScript. */
function literal(given: readonly Argument[]): string {
  return `{ ${given.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ')} }`;
}
