import type { Answered } from '../metering/call.ts';
import { provenanceOf } from './provenance.ts';

/** What a tool answers: the same object twice, for programs and as text for models. */
export type ToolResult = {
  readonly content: [{ readonly type: 'text'; readonly text: string }];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: true;
};

/** The whole REST body with one more key (rule 11.9). */
export function resultOf(answered: Answered): ToolResult {
  const body = answered.kind === 'stored' ? JSON.parse(answered.brief.body.toString()) : answered.body;
  return told({ ...body, provenance: provenanceOf(body) });
}

/** The REST error object, as a result: the model reads it and knows what to do. */
export function failureOf(envelope: Record<string, unknown>): ToolResult {
  return { ...told(envelope), isError: true };
}

function told(structuredContent: Record<string, unknown>): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}
