import type { ReadResourceResult } from '@modelcontextprotocol/server';
import { brief } from '../endpoints/brief.ts';
import type { CallRequest } from '../metering/call.ts';
import type { Answered } from '../metering/opened.ts';
import { PROTOCOL } from './message.ts';

const SCHEME = 'tidemark://briefs/';
const MIME_TYPE = 'application/json';

/** A brief as a resource. It is free, as its page is: whoever has the id had the brief. */
export const BRIEF_TEMPLATE = {
  uriTemplate: `${SCHEME}{brief_id}`,
  name: 'brief',
  title: brief.title,
  description: `${brief.summary}. Free, and never another one: a brief_id is the hash of these numbers.`,
  mimeType: MIME_TYPE,
};

/** The call that reads a resource: that of its endpoint, without a price. */
export function resourceCall(
  params: Readonly<Record<string, unknown>> = {},
): Pick<CallRequest, 'endpoint' | 'read'> {
  const { uri } = params;
  const id = typeof uri === 'string' && uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : null;
  const read = brief.read({ brief_id: id ?? '' });
  if (read.ok) return { endpoint: PROTOCOL, read };
  const details = [
    { param: 'uri', reason: `must be ${SCHEME} and a brief_id, such as tidemark://briefs/ccm_…` },
  ];
  return { endpoint: PROTOCOL, read: { ok: false, details } };
}

/** The exact bytes of the brief. */
export function contentsOf(answered: Answered, uri: string): ReadResourceResult {
  const text = answered.kind === 'stored' ? answered.brief.body.toString() : JSON.stringify(answered.body);
  return { contents: [{ uri, mimeType: MIME_TYPE, text }] };
}
