import { openContext } from '../../src/context.ts';
import { createKey } from '../../src/credits/account/key-life.ts';
import { keyStoreOf } from '../../src/credits/account/key-store.ts';
import type { Home } from './home.ts';

/** Every question costs some. */
const CREDITS = 100_000_000;

/** A customer of the home's API, which must listen. */
export async function openReader(home: Home) {
  const context = await openContext({ ...home.config, logLevel: 'warn' }, home.services, 'bench');
  const { key } = await createKey(await keyStoreOf(context), {
    orgName: 'bench',
    credits: CREDITS,
    label: 'bench',
  });
  return {
    /** The ETag of the brief. Throws for any other answer than 200. */
    brief: async (ticker: string): Promise<string> => {
      const answer = await fetch(`${home.apiUrl}/v1/stocks/${ticker}/capital-change-brief`, {
        headers: { Authorization: `Bearer ${key}` },
      });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${ticker}: ${answer.status} ${text}`);
      return answer.headers.get('etag') ?? '';
    },
    close: context.close,
  };
}
