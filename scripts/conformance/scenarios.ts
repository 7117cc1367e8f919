/** A scenario of the suite at one revision of the protocol. */
export type Scenario = { readonly name: string; readonly revision: string };

const HANDSHAKE = ['2025-06-18', '2025-11-25'];
const CURRENT = '2026-07-28';

const at = (name: string, ...revisions: readonly string[]): Scenario[] =>
  revisions.map((revision) => ({ name, revision }));

/** Scenarios that apply to any server: the protocol, the transport, the list of tools. */
export const SCENARIOS: readonly Scenario[] = [
  ...at('server-initialize', ...HANDSHAKE),
  ...at('ping', ...HANDSHAKE),
  ...at('server-session-lifecycle', '2025-11-25'),
  ...at('server-stateless', CURRENT),
  ...at('tools-list', ...HANDSHAKE, CURRENT),
  ...at('dns-rebinding-protection', '2025-11-25', CURRENT),
  ...at('server-sse-multiple-streams', CURRENT),
  ...at('resources-list', ...HANDSHAKE, CURRENT),
  ...at('prompts-list', ...HANDSHAKE, CURRENT),
  ...at('sep-2164-resource-not-found', CURRENT),
  ...at('caching', CURRENT),
  ...at('http-header-validation', CURRENT),
  ...at('input-required-result-unsupported-methods', CURRENT),
];

type Reasons = readonly (readonly [names: RegExp, reason: string])[];

/** All other scenarios of the suite. A new scenario in neither list ends the run. */
export const LEFT_OUT: Reasons = [
  [/^tools-call-/, "calls the suite's demo tools"],
  [/^json-schema-2020-12$/, "lists one of the suite's demo tools"],
  [/^http-custom-header-server-validation$/, 'needs a tool that takes arguments from headers'],
  [/^(input-required-result|elicitation)-/, "calls the suite's demo tools, which ask the client back"],
  [/^(resources-(read|templates)|prompts-get)-/, "reads the suite's demo resources and prompts"],
  [/^(resources-(un)?subscribe|completion-)/, 'a brief never changes, and nothing is completed'],
  [/^logging-set-level$/, 'the server sends no log messages'],
  [/^server-sse-polling$/, 'every answer is one JSON body: there is no stream to resume'],
  [/^(tasks|sep-2640)-/, 'an optional extension'],
];

/** Failing checks of the listed scenarios that need something the server intentionally does not have. */
export const EXCUSED: Reasons = [
  [
    /^sep-2575-(server-rejects-undeclared-capability|missing-capability-http-400)$/,
    'needs the demo tool test_missing_capability',
  ],
  [
    /^sep-2575-http-server-no-independent-requests-on-stream$/,
    'needs the demo tool test_streaming_elicitation',
  ],
  [/^sep-2575-server-no-log-without-loglevel$/, 'needs the demo tool test_logging_tool'],
];

export function reasonFor(name: string, reasons: Reasons): string | null {
  return reasons.find(([names]) => names.test(name))?.[1] ?? null;
}
