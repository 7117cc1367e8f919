import { expect, onTestFinished, test, vi } from 'vitest';
import { progressBar } from './progress-bar.ts';

test('without a terminal there are plain lines: no bar, no empty line', () => {
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
  const bar = progressBar('Fetching |{bar}| {value}/{total} filings');
  bar.start(20, 0);
  bar.update(20);
  bar.stop();
  expect(said).toBe('Fetching 0/20 filings\nFetching 20/20 filings\n');
});
