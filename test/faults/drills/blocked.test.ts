import { expect } from 'vitest';
import { startBoard } from '../../../dashboards/board.ts';
import { startWorkers } from '../../../jobs/worker/run.ts';
import { dispatchToEnd, openFlow, openStages } from '../../flow/flow.ts';
import { AS_OF, FORM4, openSmallCorpus } from '../../flow/small-corpus.ts';
import { opened } from '../../opened.ts';
import { longScenario } from '../harness/scenario.ts';
import { operator, step, told } from './operator.ts';

const PASSWORD = 'correct horse battery';
/** The breaker of a local EDGAR; that of the real one stays open for ten minutes. */
const BLOCK_SECONDS = 10;

const folder = opened(openSmallCorpus);
const faults = { seed: 7, shares: { block_page: 0.1 }, timesPerPath: 1 };
const settings = { EDGAR_LOCAL_BLOCK_SECONDS: String(BLOCK_SECONDS), BOARD_PORT: '0' };
const flow = opened(() => openFlow(folder, AS_OF, { faults, settings }));

longScenario('T20', 'drill: blocked by EDGAR', async () => {
  const { world, config } = flow;
  const board = await startBoard(world.context, config.queueRedisUrl ?? '', {
    writable: false,
    password: PASSWORD,
  });
  const authorization = `Basic ${Buffer.from(`operator:${PASSWORD}`).toString('base64')}`;
  const blockSeen = async (): Promise<string> => {
    const page = await fetch(`http://127.0.0.1:${board.port}/operators`, { headers: { authorization } });
    return /EDGAR blocks us for \d+ s more/.exec(await page.text())?.[0] ?? '';
  };
  const pipeline = await openStages(flow);
  const workers = startWorkers(pipeline.context, pipeline.redis);
  let seen = '';
  const status = await dispatchToEnd(pipeline, {
    watch: async () => {
      if (seen !== '') return;
      seen = await blockSeen();
      if (seen === '') return;
      step('EDGAR answers with its block page: the breaker has stopped all requests of all workers');
      told(`/operators: ${seen}`);
      step('Do not restart anything, and leave the breaker: requests during a block prolong it');
    },
  });
  await workers.close();
  await pipeline.close();
  await board.close();
  expect(seen).not.toBe('');
  step('The breaker closed by itself, and everything came');
  expect(status).toMatchObject({ filings_13f: 7, filings_form4: 3, quarantined: 0, events: FORM4.length });
  await operator(world, 'status');
  expect(await operator(world, 'events', 'check')).toMatchObject({ code: 0 });
});
