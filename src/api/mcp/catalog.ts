import type { IncomingMessage, ServerResponse } from 'node:http';
import { sha256Hex } from '../../domain/canonical.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { hasCurrent } from '../http/conditional.ts';
import { notModifiedReply, type Reply, send, taggedReply } from '../http/reply.ts';
import { PROTOCOL_VERSIONS, SERVER } from './sdk.ts';
import { TOOLS } from './tool.ts';

/** The tools, with the price and the REST mirror that the list of the protocol has no place for. */
export const CATALOG = {
  data: {
    server: { name: SERVER.name, version: SERVER.version },
    protocol_versions: PROTOCOL_VERSIONS,
    tools: TOOLS.map((tool) => {
      const endpoint = ENDPOINTS.find(({ name }) => name === tool.name);
      return { ...tool, cost_credits: endpoint?.credits, rest_mirror: `GET /v1${endpoint?.path}` };
    }),
  },
};

const ETAG = `"${sha256Hex(JSON.stringify(CATALOG)).slice(0, 32)}"`;
const WHOLE: Reply = taggedReply(CATALOG, ETAG);

/** Free and without a key. It changes only with a release. */
export function answerCatalog(req: IncomingMessage, res: ServerResponse, requestId: string): void {
  send(res, requestId, hasCurrent(req, ETAG) ? notModifiedReply(ETAG) : WHOLE);
}
