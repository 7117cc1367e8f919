import type { Answered } from '../metering/call.ts';

/** The source of a result, in the same form for every tool (rule 11.9). */
type Provenance = {
  readonly source: 'SEC EDGAR';
  /** Of every filing in the body, in its order. */
  readonly accession_numbers: readonly string[];
  /** The latest in the body; null when it has none. */
  readonly retrieved_at: string | null;
  /** All in the body, separated by commas; null when it has none. */
  readonly parser_version: string | null;
};

const ACCESSION = /^\d{10}-\d{2}-\d{6}$/;

type Found = {
  readonly accessions: Set<string>;
  readonly times: Set<string>;
  readonly versions: Set<string>;
};

/** Read from the body, so a new endpoint needs nothing for it. */
export function provenanceOf(body: unknown): Provenance {
  const found: Found = { accessions: new Set(), times: new Set(), versions: new Set() };
  collect(body, found);
  return {
    source: 'SEC EDGAR',
    accession_numbers: [...found.accessions],
    // ISO 8601 in UTC sorts by time.
    retrieved_at: [...found.times].sort().at(-1) ?? null,
    parser_version: [...found.versions].sort().join(', ') || null,
  };
}

function collect(node: unknown, found: Found): void {
  if (node === null || typeof node !== 'object') return;
  for (const [name, value] of Object.entries(node)) {
    if (typeof value === 'string') note(name, value, found);
    else if (name === 'evidence_ids' && Array.isArray(value)) noteEvidence(value, found);
    else collect(value, found);
  }
}

function note(name: string, value: string, found: Found): void {
  if (name === 'accession_number') noteAccession(value, found);
  else if (name === 'retrieved_at') found.times.add(value);
  else if (name === 'parser_version') found.versions.add(value);
}

/** `sec:13f:<accession>`, `sec:form4:<accession>`. */
function noteEvidence(ids: readonly unknown[], found: Found): void {
  for (const id of ids) noteAccession(String(id).split(':').at(-1) ?? '', found);
}

function noteAccession(text: string, found: Found): void {
  if (ACCESSION.test(text)) found.accessions.add(text);
}

/** The result of a tool: one object for programs, and the same as text for models. */
type ToolResult = {
  readonly content: [{ readonly type: 'text'; readonly text: string }];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: true;
};

/** The whole REST body with one more key (rule 11.9). */
export function resultOf(answered: Answered): ToolResult {
  const body = answered.kind === 'stored' ? JSON.parse(answered.brief.body.toString()) : answered.body;
  return toolResult({ ...body, provenance: provenanceOf(body) });
}

/** The REST error object as a result, so that the model can read it. */
export function failureOf(envelope: Record<string, unknown>): ToolResult {
  return { ...toolResult(envelope), isError: true };
}

function toolResult(structuredContent: Record<string, unknown>): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}
