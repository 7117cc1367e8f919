import axe from 'axe-core';
import type { Page } from 'playwright-core';

type Violation = {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
};

/** What axe finds serious or critical on the page, WCAG 2.1 AA and best practices: the rule and an element each. */
export async function seriousFaults(page: Page): Promise<string[]> {
  // Evaluated, because the policy of our pages refuses a script from elsewhere.
  await page.evaluate(axe.source);
  // What passed is not described, which takes longer than the rules on a large page.
  const run = "axe.run({ resultTypes: ['violations'] }).then((found) => found.violations)";
  const violations = await page.evaluate<readonly Violation[]>(run);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
