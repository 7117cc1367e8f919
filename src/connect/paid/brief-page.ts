import type { Db } from 'mongodb';
import { capitalChangeBrief } from '../../api/endpoints/capital-change-brief.ts';
import type { Brief } from '../../domain/wire/brief.ts';
import { briefPage, briefPaths } from '../../site/brief/brief-page.ts';
import { findBrief } from '../../store/publish/stored-briefs.ts';
import type { PaidPage, Shown } from './offer.ts';

/**
 * The brief of a ticker, which leads to the permanent page of these numbers. A brief that is not stored, because
 * nothing was ever filed about the ticker or the key is a test key, has none and is shown at once.
 */
export function briefPageOf(db: Db): PaidPage {
  const { name, credits } = capitalChangeBrief;
  return {
    ...{ name, credits },
    title: 'Capital-change brief',
    shows:
      'Which managers built or left a position, whether insiders’ own trades support it, and the filings that prove it. You can share its page with anyone.',
    read: (values) => {
      const read = capitalChangeBrief.read(values);
      if (!read.ok) return read;
      return {
        ...read,
        run: async (reading) => {
          const outcome = await read.run(reading);
          if (outcome.kind !== 'stored') return outcome;
          const { briefId, body } = outcome.brief;
          const isStored = (await findBrief(db, briefId)) !== null;
          return { kind: 'body', body: isStored ? permanent(briefId) : shown(body) };
        },
      };
    },
    show: (answered) => (answered.kind === 'body' ? (answered.body as Shown) : permanent('')),
  };
}

function permanent(briefId: string): Shown {
  return { kind: 'at', path: briefPaths(briefId).page };
}

function shown(body: Buffer): Shown {
  const { data } = JSON.parse(body.toString('utf8')) as { data: Brief };
  return { kind: 'page', document: briefPage(data, null) };
}
