import type { Db } from 'mongodb';
import { z } from 'zod';
import type { Ticker } from '../../domain/ids.ts';
import type { FormModule } from '../../forms/index.ts';
import type { StoredBrief } from '../../store/publish/briefs.ts';
import type { HeaderList } from '../http/base-headers.ts';
import type { Detail, ErrorCode, Problem } from '../http/problem.ts';

/** What a handler may read. Nothing here writes, charges or knows HTTP. */
export type Reading = {
  readonly db: Db;
  readonly siteUrl: string;
  /** The forms that are carried. */
  readonly forms: readonly FormModule[];
  readonly orgId: string;
  /** Of the moment when the call was opened. */
  readonly balance: number;
  readonly findBrief: (ticker: Ticker) => Promise<StoredBrief>;
};

/** What a handler answers: a body, exact stored bytes, or an expected error. */
export type Outcome<Body> =
  | {
      readonly kind: 'body';
      readonly body: Body;
      readonly headers?: HeaderList;
      /** Entity tag, quotes included: a caller that has it is answered 304. */
      readonly etag?: string;
    }
  | { readonly kind: 'stored'; readonly brief: StoredBrief }
  | { readonly kind: 'problem'; readonly problem: Problem };

export type EndpointSpec<P extends z.ZodRawShape, Q extends z.ZodRawShape, B extends z.ZodType> = {
  /** Name of the agent tool. */
  readonly name: string;
  readonly method: 'GET';
  /** Below `/v1`, with `{name}` for a path parameter. */
  readonly path: string;
  /** Two to four words, as a heading. */
  readonly title: string;
  /** One line. */
  readonly summary: string;
  /** Markdown: what it answers, in which order, and what happens at the edges. */
  readonly description: string;
  /** Arguments that answer 200 on the bundled filings, as of 2018-11-30. */
  readonly example: Readonly<Record<string, string | number>>;
  readonly credits: number;
  readonly params: P;
  readonly query: Q;
  /** Its answer carries an entity tag, and one that the client has is answered 304. */
  readonly conditional?: boolean;
  /** Rules across parameters. */
  readonly rule?: (input: z.output<z.ZodObject<P & Q>>) => readonly Detail[];
  /** The whole body of a 200. */
  readonly output: B;
  /** Beside those that every endpoint has (400, 401, 402, 405, 5xx). */
  readonly errors: readonly ErrorCode[];
  readonly handler: (reading: Reading, input: z.output<z.ZodObject<P & Q>>) => Promise<Outcome<z.input<B>>>;
};

/** A call that was understood, ready to run; or everything that is wrong with it. */
export type ReadCall =
  | {
      readonly ok: true;
      /** With its defaults and in the one spelling of each value. */
      readonly input: unknown;
      readonly run: (reading: Reading) => Promise<Outcome<unknown>>;
    }
  | { readonly ok: false; readonly details: readonly Detail[] };

/** One line of the list that routes, validation, prices, OpenAPI and agent tools are derived from. */
export type Endpoint = Omit<
  EndpointSpec<z.ZodRawShape, z.ZodRawShape, z.ZodType>,
  'handler' | 'rule' | 'params' | 'query'
> & {
  readonly params: z.ZodRawShape;
  readonly query: z.ZodRawShape;
  /** Path and query parameters together, as an agent tool's arguments. */
  readonly input: z.ZodObject;
  /** Some arguments that are each valid are not so together; the description says which. */
  readonly hasRule: boolean;
  readonly read: (values: Readonly<Record<string, unknown>>) => ReadCall;
};

export function defineEndpoint<P extends z.ZodRawShape, Q extends z.ZodRawShape, B extends z.ZodType>(
  spec: EndpointSpec<P, Q, B>,
): Endpoint {
  const { handler, rule, ...rest } = spec;
  const input = z.strictObject({ ...spec.params, ...spec.query });
  return {
    ...rest,
    input,
    hasRule: rule !== undefined,
    read(values) {
      const parsed = input.safeParse(values);
      if (!parsed.success) return { ok: false, details: parsed.error.issues.flatMap(detailsOf) };
      const understood = parsed.data as z.output<z.ZodObject<P & Q>>;
      const broken = rule?.(understood) ?? [];
      if (broken.length > 0) return { ok: false, details: broken };
      return { ok: true, input: understood, run: (reading) => handler(reading, understood) };
    },
  };
}

function detailsOf(issue: z.core.$ZodIssue): Detail[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((param) => ({ param, reason: 'unknown parameter' }));
  }
  return [{ param: String(issue.path[0] ?? ''), reason: issue.message }];
}
