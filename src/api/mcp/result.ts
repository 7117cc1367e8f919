import type { Answered } from '../metering/call.ts';
import { provenanceOf } from './provenance.ts';

/** The result of a tool: one object for programs, and the same as text for models. */
export type ToolResult = {
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
