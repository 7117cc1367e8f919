// Postman's converter makes a collection of the description; its requests are sent as Postman sends them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import converter from 'openapi-to-postmanv2';
import sdk from 'postman-collection';

const { TIDEMARK_URL, TIDEMARK_KEY } = process.env;
const data = readFileSync('openapi.json', 'utf8');

const convert = promisify(converter.convertV2);
const converted = await convert({ type: 'string', data }, { parametersResolution: 'Example' });
assert(converted.result, converted.reason);
const collection = new sdk.Collection(converted.output[0].data);
assert.equal(collection.variables.get('baseUrl'), `${TIDEMARK_URL}/v1`);
assert.equal(collection.auth.type, 'bearer');
collection.variables.add(new sdk.Variable({ key: 'bearerToken', value: TIDEMARK_KEY }));

const items = [];
collection.forEachItem((item) => items.push(item));

const described = Object.entries(JSON.parse(data).paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);
const inCollection = items.map(
  ({ request }) => `${request.method} /${request.url.path.join('/').replace(/:(\w+)/g, '{$1}')}`,
);
assert(described.length > 10);
assert.deepEqual(inCollection.toSorted(), described.toSorted());

/** The text with what the collection's variables and Postman's own, such as `$guid`, stand for. */
const filled = (text) => sdk.Property.replaceSubstitutions(text, collection.variables.toObject());

/** Sends again, up to five times, what a busy machine answers with 503. */
async function send(url, request, triesLeft = 5) {
  const answer = await fetch(url, request);
  if (answer.status !== 503 || triesLeft === 0) return answer;
  await setTimeout(1_000 * Number(answer.headers.get('Retry-After') ?? 1));
  return send(url, request, triesLeft - 1);
}

const refused = [];
for (const { name, request } of items) {
  // The converter invents one value for all requests; the guide says to set it to this.
  if (request.headers.has('Idempotency-Key')) {
    request.headers.upsert({ key: 'Idempotency-Key', value: '{{$guid}}' });
  }
  const headers = { authorization: `Bearer ${filled(collection.auth.parameters().get('token'))}` };
  for (const { key, value, disabled } of request.headers.all()) {
    if (!disabled) headers[key] = filled(value);
  }
  const url = filled(request.url.toString());
  assert(!/[{}<>]|:\w+\//.test(new URL(url).pathname), `${name}: ${url} lacks an example`);
  const answer = await send(url, { method: request.method, headers });
  const body = await answer.text();
  if (!answer.ok || JSON.parse(body).data === undefined) refused.push(`${url}: ${answer.status} ${body}`);
}
assert.deepEqual(refused, []);
