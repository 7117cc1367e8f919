import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { IS_TEST_LONG } from '../runs.ts';
import { seriousFaults } from './axe.ts';

const SCHEMES = ['light', 'dark'] as const;
/** Where axe runs, which takes seconds: colours do not depend on the width, nor reach and order on the palette. */
const WITH_AXE = ['light 360', 'dark 1280'];
const LOOKS = SCHEMES.flatMap((colorScheme) =>
  [360, 390, 768, 1280].map((width) => ({ colorScheme, width, name: `${colorScheme} ${width}` })),
);

/**
 * What is wrong with the loaded page in either palette: it is wider than the screen, or axe objects. At any width in
 * the long tests, for which a test has the tag `property`.
 */
export async function faultsOf(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const { colorScheme, width, name } of LOOKS) {
    const hasAxe = WITH_AXE.includes(name);
    if (!hasAxe && !IS_TEST_LONG) continue;
    // Without motion, or a colour would be measured on its way to the other palette.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 900 });
    const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (over > 0) faults.push(`${name}: ${over} pixels too wide`);
    if (hasAxe) faults.push(...(await seriousFaults(page)).map((fault) => `${name}: ${fault}`));
  }
  return faults;
}

/** Pictures of the page for a person to look at, where SCREENSHOTS names a folder. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'] ?? '';
  if (folder === '') return;
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
  }
}
