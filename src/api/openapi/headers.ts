import type { Endpoint } from '../endpoint/endpoint.ts';
import { ERRORS, type ErrorEntry } from '../http/problem.ts';

const text = (description: string, example: string) => {
  return { description, schema: { type: 'string' }, example };
};
const count = (description: string, example: number) => {
  return { description, schema: { type: 'integer', minimum: 0 }, example };
};
const flag = (description: string) => {
  return { description, schema: { type: 'string', const: 'true' }, example: 'true' };
};

/** Every response header that matters to a client, by its name. */
export const HEADERS = {
  'X-Request-Id': text(
    'Identifies the request in our logs. A valid id from the client is kept.',
    '5f0c1a2b3c4d-1z',
  ),
  'X-Credits-Charged': count('Price of this answer: 0 for errors and replays.', 10),
  'X-Credits-Balance': count('Remaining credits; absent for a test key.', 990),
  'X-Credits-Low': flag('The balance is low. Absent while it is not.'),
  'Idempotent-Replayed': flag(
    'The call with this Idempotency-Key was charged before, so this answer is free.',
  ),
  RateLimit: text(
    'Calls that the organisation has left at once, and the seconds until its full burst is available.',
    '"organization";r=499;t=1',
  ),
  'RateLimit-Policy': text(
    'The burst of the organisation, and the seconds in which it refills.',
    '"organization";q=500;w=5',
  ),
  'X-Sandbox': flag('The key is a test key: the answer comes from the sandbox and is free.'),
  'Retry-After': count('Seconds to wait before the next try.', 2),
  ETag: text('Entity tag for If-None-Match.', 'W/"ccm_…"'),
  'X-Superseded': flag('The ticker shows another brief now. Absent while it shows this one.'),
  'X-Did-You-Mean': text(
    'The known ticker that is near to the requested one, which no source knows.',
    'AAPL',
  ),
  Link: text('Absolute addresses of pages: first, prev, next, last (RFC 8288).', '<…?page=2>; rel="next"'),
  'WWW-Authenticate': text('The challenge (RFC 6750).', 'Bearer realm="tidemark"'),
  Allow: text('The allowed methods.', 'GET'),
};
type Presence = 'always' | 'sometimes';
type Present = Partial<Record<keyof typeof HEADERS, Presence>>;

/** The headers of an answer with this status, as the members of a Response Object. */
export function headersOf(endpoint: Endpoint | null, status: number): Record<string, unknown> {
  const present = { 'X-Request-Id': 'always', ...presentAt(endpoint, status) } satisfies Present;
  return Object.fromEntries(
    Object.entries(present).map(([name, presence]) => [name, { $ref: reference(name, presence) }]),
  );
}

/**
 * The headers that `published` refers to, as components. `required` is a member of the header itself,
 * so a header that only some answers have has two forms.
 */
export function headerComponents(published: unknown): Record<string, unknown> {
  const text = JSON.stringify(published);
  const forms = Object.entries(HEADERS).flatMap(([name, header]): [string, Presence, unknown][] => [
    [name, 'always', { ...header, required: true }],
    [name, 'sometimes', header],
  ]);
  return Object.fromEntries(
    forms
      .filter(([name, presence]) => text.includes(`"${reference(name, presence)}"`))
      .map(([name, presence, header]) => [componentName(name, presence), header]),
  );
}

function reference(name: string, presence: Presence): string {
  return `#/components/headers/${componentName(name, presence)}`;
}

function componentName(name: string, presence: Presence): string {
  return presence === 'always' ? name : `${name}-optional`;
}

/** About the key, on every answer after authentication. */
const OF_THE_KEY: Present = {
  RateLimit: 'sometimes',
  'RateLimit-Policy': 'sometimes',
  'X-Sandbox': 'sometimes',
};
const OWN: Readonly<Record<number, Present>> = {
  401: { 'WWW-Authenticate': 'always' },
  402: { 'X-Credits-Balance': 'always' },
  405: { Allow: 'always' },
};

/** On every answer of a status whose codes all ask for a wait. */
function waitAt(status: number): Present {
  const waits = Object.values<ErrorEntry>(ERRORS)
    .filter((one) => one.status === status)
    .map(({ waitSeconds }) => waitSeconds !== undefined);
  if (!waits.includes(true)) return {};
  return { 'Retry-After': waits.includes(false) ? 'sometimes' : 'always' };
}
/** Answers before the key is read: they have nothing about credits or rate limit. */
const BEFORE_THE_KEY = new Set([401, 405, 408, 413, 414, 417, 431]);

function presentAt(endpoint: Endpoint | null, status: number): Present {
  if (endpoint !== null && (status === 200 || status === 304)) return answered(endpoint, status);
  const metered: Present = BEFORE_THE_KEY.has(status)
    ? {}
    : { 'X-Credits-Charged': 'sometimes', ...OF_THE_KEY };
  return { ...metered, ...OWN[status], ...waitAt(status) };
}

function answered(endpoint: Endpoint, status: number): Present {
  const metered: Present =
    endpoint.credits === 0
      ? {}
      : {
          'X-Credits-Charged': 'always',
          'X-Credits-Balance': 'sometimes',
          'X-Credits-Low': 'sometimes',
          'Idempotent-Replayed': 'sometimes',
        };
  const tagged: Present = endpoint.conditional === true ? { ETag: 'always' } : {};
  const linked: Present = Object.hasOwn(endpoint.query, 'page') && status === 200 ? { Link: 'always' } : {};
  const own: Present = Object.fromEntries((endpoint.headers ?? []).map((name) => [name, 'sometimes']));
  return { ...metered, ...OF_THE_KEY, ...tagged, ...linked, ...own };
}
