import type { Request } from 'express';
import type { Mount } from '../../api/app.ts';
import { encodedFor, jsonReply, send } from '../../api/http/reply.ts';
import { requestIdOf } from '../../api/http/request-id.ts';
import { openStatus } from '../../api/status.ts';
import { addPage, sendPage } from '../send-page.ts';
import { statusPage } from './page.ts';

/** `/status`, free and without a key: a page for people, JSON for programs, always 200. */
export const mountStatus: Mount = (app, api) => {
  const read = openStatus(api);
  addPage(app, '/status', async (req, res) => {
    const data = await read();
    if (isPerson(req)) {
      return sendPage(req, res, statusPage(data), { caching: 'fresh', choosesBy: CHOOSES_BY });
    }
    send(res, requestIdOf(req), encodedFor(req, jsonReply(200, { data }), CHOOSES_BY));
  });
};

const CHOOSES_BY = 'Accept, ';

/** Browsers ask for HTML before anything else; a program that names nothing gets JSON. */
function isPerson(req: Request): boolean {
  return req.accepts(['json', 'html']) === 'html';
}
