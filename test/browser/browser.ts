import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

const USUAL = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of CHROMIUM, else one at a usual path; null when there is none. */
export function chromiumPath(): string | null {
  const named = process.env['CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  return USUAL.find((path) => existsSync(path)) ?? null;
}

/**
 * Whether to leave browser tests out: only on a developer's machine without a browser. In CI they are
 * run, and fail with the reason.
 */
export const NO_BROWSER = chromiumPath() === null && (process.env['CI'] ?? '') === '';

/** Ends the name of what is left out with the reason. */
export const WITHOUT = NO_BROWSER ? ' (left out: no Chromium was found; name one in CHROMIUM)' : '';

export async function openBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === null) {
    throw new Error('No Chromium was found: install one, or name it in CHROMIUM.');
  }
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** A context and what went wrong in it: requests to elsewhere, refused content, page errors. */
export type Watched = { readonly context: BrowserContext; readonly wrong: string[] };

export async function openWatched(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({ baseURL: origin, ...options });
  context.setDefaultTimeout(60_000);
  const wrong: string[] = [];
  context.on('request', (request) => {
    const url = request.url();
    if (new URL(url).origin !== origin && !url.startsWith('data:')) wrong.push(`request to ${url}`);
  });
  context.on('console', (message) => {
    // A status of 4xx that a form asked for is reported as an error too.
    if (message.type() === 'error' && !/Failed to load resource.*status of 4/.test(message.text())) {
      wrong.push(message.text());
    }
  });
  context.on('weberror', (error) => wrong.push(String(error.error())));
  return { context, wrong };
}
