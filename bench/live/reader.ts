import { openContext } from '../../src/context.ts';
import { createKey } from '../../src/credits/account/key-life.ts';
import { keyStoreOf } from '../../src/credits/account/key-record.ts';
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
  const ask = async (ticker: string) => {
    const answer = await fetch(`${home.apiUrl}/v1/stocks/${ticker}/capital-change-brief`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    return { status: answer.status, text: await answer.text(), etag: answer.headers.get('etag') ?? '' };
  };
  return {
    /** Any answer of the brief. */
    ask,
    /** The ETag of the brief. Throws for any other answer than 200. */
    brief: async (ticker: string): Promise<string> => {
      const { status, text, etag } = await ask(ticker);
      if (status !== 200) throw new Error(`${ticker}: ${status} ${text}`);
      return etag;
    },
    close: context.close,
  };
}
