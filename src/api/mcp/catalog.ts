import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasCurrent } from '../cache/brief-reply.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { notModifiedReply, type Reply, send, taggedReply } from '../http/reply.ts';
import { requestIdOf } from '../http/request-id.ts';
import { PROTOCOL_VERSIONS, SERVER } from './sdk.ts';
import { TOOLS } from './tool.ts';

/** The tools with what only this service says of them: the price and the REST mirror. */
export const CATALOG = {
  data: {
    server: { name: SERVER.name, version: SERVER.version },
    protocol_versions: PROTOCOL_VERSIONS,
    tools: TOOLS.map((tool) => {
      const endpoint = ENDPOINTS.find(({ name }) => name === tool.name);
      return {
        ...tool,
        cost_credits: endpoint?.credits,
        rest_mirror: `${endpoint?.method} /v1${endpoint?.path}`,
      };
    }),
  },
};

const ETAG = `"${createHash('sha256').update(JSON.stringify(CATALOG)).digest('hex').slice(0, 32)}"`;
const WHOLE: Reply = taggedReply(CATALOG, ETAG);

/** Free and without a key; it changes with a release only. */
export function answerCatalog(req: IncomingMessage, res: ServerResponse): void {
  send(res, requestIdOf(req), hasCurrent(req, ETAG) ? notModifiedReply(ETAG) : WHOLE);
}
