import type { Db } from 'mongodb';
import { z } from 'zod';
import type { Ticker } from '../../domain/ids.ts';
import type { FormModule } from '../../forms/index.ts';
import type { EventDoc } from '../../store/filing/events.ts';
import type { StoredBrief } from '../../store/publish/briefs.ts';
import type { HeaderList } from '../http/base-headers.ts';
import { type Detail, type ErrorCode, type Problem, problem } from '../http/problem.ts';
import { phraseFor, phraseOfUnknown } from './phrases.ts';

/** What a handler may read. Nothing in it writes, charges or depends on HTTP. */
export type Reading = {
  readonly db: Db;
  readonly siteUrl: string;
  /** The forms that are carried. */
  readonly forms: readonly FormModule[];
  readonly orgId: string;
  /** When the call was opened. */
  readonly balance: number;
  /** A balance below this is low. */
  readonly creditsLow: number;
  readonly findBrief: (ticker: Ticker) => Promise<StoredBrief & { readonly meant?: Ticker | null }>;
};

/** How long an empty page may be held, and for which events after the head that it was read from. */
export type Awaits = {
  readonly seconds: number;
  readonly head: number;
  readonly matches: (event: EventDoc) => boolean;
};

/** What a handler returns: a body, exact stored bytes, or an expected error. */
export type Outcome<Body> =
  | {
      readonly kind: 'body';
      readonly body: Body;
      readonly headers?: HeaderList;
      /** Entity tag with its quotes. A client that has this version gets 304. */
      readonly etag?: string;
      /** The page has nothing new, and the client waits for it. */
      readonly awaits?: Awaits;
    }
  | {
      readonly kind: 'stored';
      readonly brief: StoredBrief;
      /** Where it may be stored, when not as the brief of a ticker is. */
      readonly cacheControl?: string;
      readonly headers?: HeaderList;
    }
  | { readonly kind: 'problem'; readonly problem: Problem };

/** What a summary of the answer shows, by paths below `data` such as `fund.name`: facts, and columns of a list. */
type Digest = {
  readonly facts: readonly string[];
  /** `at`: the name of the list below `data`; empty where `data` is the list. */
  readonly rows?: { readonly at: string; readonly columns: readonly string[] };
};

type Described<P extends z.ZodRawShape, Q extends z.ZodRawShape, B extends z.ZodType> = {
  /** Name of the agent tool. */
  readonly name: string;
  /** Below `/v1`, with `{name}` for a path parameter. */
  readonly path: string;
  /** A heading of two to four words. */
  readonly title: string;
  /** One line. */
  readonly summary: string;
  /** Markdown: what the endpoint returns and how it is asked, for readers and for agents. */
  readonly description: string;
  /** Markdown, for the reference only: the exact order, headers, edge cases. */
  readonly details?: string;
  /** Arguments that answer 200 on the bundled filings, as of 2023-05-31. */
  readonly example: Readonly<Record<string, string | number>>;
  readonly credits: number;
  readonly digest: Digest;
  readonly params: P;
  readonly query: Q;
  /** Its first reader may have the answer computed, and has more time for that. */
  readonly firstComputes?: boolean;
  /** Its rows (`digest.rows`) also as CSV, for `Accept: text/csv`. */
  readonly csv?: boolean;
  /** The answer has an entity tag; a client that has this version gets 304. */
  readonly conditional?: boolean;
  /** Headers that only some of its answers have. */
  readonly headers?: readonly ('X-Superseded' | 'X-Did-You-Mean')[];
  /** Rules for several parameters together. */
  readonly rule?: (input: z.output<z.ZodObject<P & Q>>) => readonly Detail[];
  /** The whole body of a 200. */
  readonly output: B;
  /** In addition to those of every endpoint (400, 401, 402, 405, 5xx). */
  readonly errors?: readonly ErrorCode[];
};

type EndpointSpec<P extends z.ZodRawShape, Q extends z.ZodRawShape, B extends z.ZodType> = Described<
  P,
  Q,
  B
> & {
  readonly handler: (reading: Reading, input: z.output<z.ZodObject<P & Q>>) => Promise<Outcome<z.input<B>>>;
};

/** A valid call, ready to run; or everything that is wrong with it. */
export type ReadCall =
  | {
      readonly ok: true;
      /** With defaults, and each value in its one spelling. */
      readonly input: unknown;
      readonly run: (reading: Reading) => Promise<Outcome<unknown>>;
    }
  | { readonly ok: false; readonly details: readonly Detail[] };

/** One entry of the list from which routes, validation, prices, OpenAPI and agent tools are derived. */
export type Endpoint = Omit<
  Described<z.ZodRawShape, z.ZodRawShape, z.ZodType>,
  'rule' | 'params' | 'query' | 'errors'
> & {
  readonly errors: readonly ErrorCode[];
  readonly params: z.ZodRawShape;
  readonly query: z.ZodRawShape;
  /** Path and query parameters together: the arguments of the agent tool. */
  readonly input: z.ZodObject;
  /** Some valid arguments are not valid together; the description says which. */
  readonly hasRule: boolean;
  readonly read: (values: Readonly<Record<string, unknown>>) => ReadCall;
};

export function defineEndpoint<P extends z.ZodRawShape, Q extends z.ZodRawShape, B extends z.ZodType>(
  spec: EndpointSpec<P, Q, B>,
): Endpoint {
  const { handler, rule, errors = [], ...rest } = spec;
  const input = z.strictObject({ ...spec.params, ...spec.query });
  return {
    ...rest,
    errors,
    input,
    hasRule: rule !== undefined,
    read(values) {
      const parsed = input.safeParse(values);
      if (!parsed.success) {
        return {
          ok: false,
          details: parsed.error.issues.flatMap((issue) => detailsOf(input, values, issue)),
        };
      }
      const valid = parsed.data as z.output<z.ZodObject<P & Q>>;
      const broken = rule?.(valid) ?? [];
      if (broken.length > 0) return { ok: false, details: broken };
      return { ok: true, input: valid, run: (reading) => handler(reading, valid) };
    },
  };
}

/** An expected error, as the outcome of a handler. */
export function refusal(error: ErrorCode, message: string, rest?: Partial<Problem>): Outcome<never> {
  return { kind: 'problem', problem: problem(error, message, rest) };
}

function detailsOf(
  { shape }: z.ZodObject,
  values: Readonly<Record<string, unknown>>,
  issue: z.core.$ZodIssue,
): Detail[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((param) => ({ param, reason: phraseOfUnknown(param, Object.keys(shape)) }));
  }
  const param = String(issue.path[0] ?? '');
  return [{ param, reason: phraseFor({ schema: shape[param], given: values[param], issue }) }];
}
