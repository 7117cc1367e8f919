import { writeFileSync } from 'node:fs';

/**
 * A reporter of vitest that writes `{ passed, failed, skipped }` to the file TIDEMARK_TEST_COUNTS. A file that does not
 * load and an error outside tests count as failures too; vitest counts no test for them.
 */
// biome-ignore lint/style/noDefaultExport: vitest takes the default export of a reporter.
export default class TestCounts {
  onTestRunEnd(modules, errors) {
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      const states = [...module.children.allTests()].map((test) => test.result().state);
      for (const state of states) if (state !== 'pending') counts[state] += 1;
      if (!module.ok() && !states.includes('failed')) counts.failed += 1;
    }
    writeFileSync(process.env['TIDEMARK_TEST_COUNTS'], JSON.stringify(counts));
  }
}
