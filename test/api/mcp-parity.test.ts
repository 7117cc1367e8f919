import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Endpoint } from '../../src/api/endpoint/endpoint.ts';
import { ENDPOINTS } from '../../src/api/endpoints/index.ts';
import { rowsOf } from '../../src/api/mcp/arguments.ts';
import { TOOLS } from '../../src/api/mcp/tool.ts';
import { inSpelling } from '../../src/api/mcp/tool-name.ts';
import { form4 } from '../../src/domain/brief/brief.sample.ts';
import { opened } from '../opened.ts';
import { runs } from '../runs.ts';
import { openAgent } from './agent.ts';
import { FUND, seed, seedBrief } from './corpus.ts';
import { seedForms } from './insider-corpus.ts';
import { type Args, argumentsOf, asPath } from './mcp-arguments.ts';
import type { Answer } from './stage.ts';
import { apple, LATEST, PRIOR, publish, seedSymbols, show } from './stock-corpus.ts';

/** With a dozen tools five hundred pairs of calls. */
const RUNS = 42;
const CREDITS = 1_000_000;
const FORM = form4({ number: 1, filed: '2018-06-04' });

const agent = opened(() => openAgent({ RATE_LIMIT_PER_SECOND: '0' }));
let key: string;
let briefId: string;

beforeAll(async () => {
  const { db } = agent.stage.world.mongo;
  await seed(db);
  await publish(db);
  await seedSymbols(db);
  await show(db, 7, { [PRIOR]: [apple(10_000n, 2_000n)], [LATEST]: [apple(25_000n, 5_000n)] });
  await seedForms(db, [FORM]);
  briefId = await seedBrief(db, 'AAPL', 'x');
  key = (await agent.stage.newKey(CREDITS)).key;
});

describe.each(ENDPOINTS.map((endpoint) => [endpoint.name, endpoint] as const))('%s', (name, endpoint) => {
  test('has the same answers and prices over both, for all arguments', {
    tags: ['property'],
    timeout: 120_000,
  }, async () => {
    let spent = 0;
    let answered = 0;
    const accepts = acceptsResultOf(name);
    const before = await balance();
    const there = { ticker: 'AAPL', cik: FUND, accession: FORM.header.accession, brief_id: briefId };
    const property = fc.asyncProperty(
      argumentsOf(endpoint, { accession: [there.accession], brief_id: [there.brief_id] }),
      async (args: Args) => {
        const rest = await agent.stage.get(asPath(endpoint, withRows(endpoint, args)), key);
        const tool = await agent.call(spelt(name, args), args, key);
        spent += chargeOf(rest) + chargeOf(tool);
        if (rest.status === 200) answered += 1;
        expect(chargeOf(tool)).toBe(chargeOf(rest));
        expect(chargeOf(tool)).toBe(rest.status === 200 ? endpoint.credits : 0);
        expect(tool.status).toBe(200);
        expect(heardOf(tool)).toEqual(heardOverRest(rest));
        // A notice and a failure too: clients validate every result.
        expect(accepts(tool.body.result.structuredContent), JSON.stringify(accepts.errors)).toBe(true);
      },
    );
    await fc.assert(property, { numRuns: runs(RUNS), examples: [[exampleWith(endpoint, there)]] });
    expect(before - (await balance())).toBe(spent);
    // Two that fail alike prove little.
    expect(answered).toBeGreaterThan(0);
  });
});

/** The endpoint's example, with what this corpus has. */
function exampleWith(endpoint: Endpoint, there: Args): Args {
  const example = endpoint.example as Args;
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, there[name] ?? value]));
}

/** Whether a result fits the output schema of the tool. */
function acceptsResultOf(name: string) {
  const schema = TOOLS.find((tool) => tool.name === name)?.outputSchema;
  if (schema === undefined) throw new Error(`no tool ${name}`);
  return new Ajv2020({ allowUnionTypes: true, strictRequired: false }).compile(schema);
}

/** A tool has rows of its own by default. */
function withRows(endpoint: Endpoint, args: Args): Args {
  const isList = Object.hasOwn(endpoint.query, 'limit') && args['limit'] === undefined;
  return isList ? { ...args, limit: rowsOf(endpoint) } : args;
}

/** Both spellings of a name, in turns. */
function spelt(name: string, args: Args): string {
  return inSpelling(name, Object.keys(args).length % 2 === 0 ? 'own' : 'underscore');
}

async function balance(): Promise<number> {
  return (await agent.stage.get('/v1/credits', key)).body.data.balance;
}

function chargeOf(answer: Answer): number {
  return Number(answer.headers.get('x-credits-charged') ?? '0');
}

/** What a caller learns, without what differs from call to call. */
type Heard = { readonly says: 'answer' | 'failure' | 'bad arguments'; readonly what: unknown };

function heardOverRest({ status, body }: Answer): Heard {
  if (status === 200) return { says: 'answer', what: lasting(body) };
  if (status === 400) return { says: 'bad arguments', what: wrongIn(body.details) };
  return { says: 'failure', what: lasting(body) };
}

function heardOf({ body: { result } }: Answer): Heard {
  const { provenance, ...body } = result.structuredContent;
  const { text } = result.content[0];
  if (result.isError === true) {
    expect(text).toBe(`${body.message}\n${JSON.stringify(body)}`);
    if (body.error === 'invalid_parameter') return { says: 'bad arguments', what: wrongIn(body.details) };
    return { says: 'failure', what: lasting(body) };
  }
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_048);
  expect(provenance.source).toBe('SEC EDGAR');
  return { says: 'answer', what: lasting(body) };
}

/** The reasons differ where a text is no number; which parameters are wrong does not. */
function wrongIn(details: readonly { param: string }[]): string[] {
  return [...new Set(details.map(({ param }) => param))].sort();
}

const PASSING = new Set(['request_id', 'generated_at']);

function lasting(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, item) => (PASSING.has(name) ? undefined : item)));
}
