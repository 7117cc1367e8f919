import type { Request, Response } from 'express';
import type { Mount } from '../../api/app.ts';
import { briefIdParam } from '../../api/endpoint/param.ts';
import { problem } from '../../api/http/problem.ts';
import { refuse } from '../../api/http/reply.ts';
import { withDeadline } from '../../api/metering/with-deadline.ts';
import type { Api } from '../../api/open.ts';
import type { Brief } from '../../domain/wire/brief.ts';
import { answerStored } from '../../read/brief/stored.ts';
import { SCRIPTED } from '../assets.ts';
import { sendMissingPage, wantsPage } from '../missing.ts';
import { SAMPLE } from '../sample.ts';
import { addPage, sendPage, sendText } from '../send-page.ts';
import { briefPage } from './brief-page.ts';

/** `/briefs/{brief_id}` and its bytes: free for whoever has the address (rule 11.20). */
export const mountBriefs: Mount = (app, api) => {
  const document = async ({ body }: { readonly body: Buffer }, supersededBy: string | null) =>
    briefPage((JSON.parse(body.toString('utf8')) as { data: Brief }).data, { supersededBy });
  addPage(app, '/briefs/:id.json', (req, res) =>
    withStored(api, req, res, ({ brief }) =>
      sendText(req, res, brief.body.toString('utf8'), 'application/json; charset=utf-8'),
    ),
  );
  addPage(app, '/briefs/:id', (req, res) =>
    withStored(api, req, res, async ({ brief, supersededBy }) =>
      sendPage(req, res, await document(brief, supersededBy), { caching: 'static', policy: SCRIPTED }),
    ),
  );
};

/** What a page of a brief shows. */
type Stored = {
  readonly brief: { readonly body: Buffer };
  readonly supersededBy: string | null;
};

/** The brief that the landing page shows is there on every site. */
function sampleOf(briefId: string): Stored | null {
  if (briefId !== SAMPLE.brief_id) return null;
  return { brief: { body: Buffer.from(JSON.stringify({ data: SAMPLE })) }, supersededBy: null };
}

/** All visitors together take the turns of one organisation, so that they cannot crowd out who pays. */
const VISITORS = 'visitors of pages';

async function withStored(
  api: Api,
  req: Request,
  res: Response,
  answer: (stored: Stored) => void | Promise<void>,
): Promise<void> {
  const id = briefIdParam.safeParse(req.params['id']);
  const found = await withDeadline(api, (deadline) =>
    api.turns.run(VISITORS, deadline, async () =>
      id.success ? ((await answerStored(api.db, id.data)) ?? sampleOf(id.data)) : null,
    ),
  );
  if (found.problem !== null) return refuse(req, res, found.problem);
  if (found.value === null) {
    return wantsPage(req) ? sendMissingPage(req, res, NO_BRIEF.message) : refuse(req, res, NO_BRIEF);
  }
  await answer(found.value);
}

const NO_BRIEF = problem('brief_not_found', 'No brief with this id is stored here.');
