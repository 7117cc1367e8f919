import { expect, onTestFinished, test, vi } from 'vitest';
import { ingestBar, progressBar } from './progress-bar.ts';

/** What is written to stderr from now on, which is no terminal. */
function saidToLog(): () => string {
  let said = '';
  const { isTTY } = process.stderr;
  process.stderr.isTTY = false;
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += text;
    return true;
  });
  onTestFinished(() => {
    spy.mockRestore();
    process.stderr.isTTY = isTTY;
  });
  return () => said;
}

test('without a terminal there are plain lines: no bar, no empty line', () => {
  const said = saidToLog();
  const bar = progressBar('Fetching |{bar}| {value}/{total} filings');
  bar.start(20, 0);
  bar.update(20);
  bar.stop();
  expect(said()).toBe('Fetching 0/20 filings\nFetching 20/20 filings\n');
});

test('before anything is counted a stage has no numbers', () => {
  const said = saidToLog();
  const bar = ingestBar();
  bar.stop();
  expect(said()).toMatch(/^Starting\s/);
  expect(said()).not.toContain('0 of 0');
});
