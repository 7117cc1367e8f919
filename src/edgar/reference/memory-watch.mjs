import { workerData } from 'node:worker_threads';

/**
 * Ends its process when that takes more memory than allowed, by a signal that says so, or when the process that
 * started it is gone. A thread of its own, because a reader may block its own. Plain JavaScript, so that it
 * starts at once.
 */
const { maxBytes, parent, signal } = workerData;
const PERIOD_MS = 25;
setInterval(() => {
  if (process.memoryUsage.rss() > maxBytes) process.kill(process.pid, signal);
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, PERIOD_MS);
