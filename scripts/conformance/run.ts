import { loadConfig } from '../../src/config.ts';
import { installTools } from '../contract/program.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';
import { EXCUSED, LEFT_OUT, reasonFor, SCENARIOS } from './scenarios.ts';
import { serveEmpty } from './serve.ts';
import { type Check, checksOf, leftOut } from './suite.ts';

/**
 * Serves an empty API and tests its agent tools with the official suite. The last line has the counts. The
 * exit code is 1 when a check failed that is not excused, or when a scenario made no check.
 */
export async function conformance(): Promise<number> {
  await installTools();
  const others = await leftOut();
  for (const [pattern, reason] of LEFT_OUT) {
    console.log(`left out  ${others.filter((name) => pattern.test(name)).join(', ')}: ${reason}`);
  }
  return withTemporaryFolder('conformance', async (work) => {
    const served = await serveEmpty(loadConfig({ ...process.env, TIDEMARK_HOME: work, LOG_LEVEL: 'error' }));
    try {
      return await examine(served.url, work);
    } finally {
      await served.close();
    }
  });
}

async function examine(url: string, work: string): Promise<number> {
  const all: Check[] = [];
  let broken = 0;
  for (const scenario of SCENARIOS) {
    const checks = await checksOf(url, scenario, work);
    const isBroken = checks.length === 0 || checks.some((check) => verdictOf(check) === 'failed');
    if (isBroken) broken += 1;
    all.push(...checks);
    console.log(`${isBroken ? 'FAILED   ' : 'passed   '} ${scenario.name} (${scenario.revision})`);
    for (const check of checks) printCheck(check);
  }
  const count = (verdict: string): number => all.filter((check) => verdictOf(check) === verdict).length;
  const counts = ['passed', 'failed', 'excused', 'skipped'].map((verdict) => `${count(verdict)} ${verdict}`);
  console.log(
    `${SCENARIOS.length - broken} scenarios passed, ${broken} failed; checks: ${counts.join(', ')}`,
  );
  return broken === 0 ? 0 : 1;
}

/** An excuse for a check that passes is out of date, so the check fails. */
function verdictOf({ id, status }: Check): 'passed' | 'failed' | 'excused' | 'skipped' {
  const isExcused = reasonFor(id, EXCUSED) !== null;
  if (status === 'SUCCESS') return isExcused ? 'failed' : 'passed';
  if (status === 'FAILURE') return isExcused ? 'excused' : 'failed';
  return 'skipped';
}

function printCheck(check: Check): void {
  const verdict = verdictOf(check);
  if (verdict === 'failed') console.log(`    failed ${check.id}: ${check.errorMessage ?? 'passes now'}`);
  if (verdict === 'excused') console.log(`    excused ${check.id}: ${reasonFor(check.id, EXCUSED)}`);
}
