#!/usr/bin/env node
import './require-node.mjs';
import { register } from 'tsx/esm/api';

/**
 * The health of a process that has no port: exit code 0 when the MongoDB and both Redis instances of its
 * settings answer, else 1 and a line that names those that do not. A process that ends is restarted by
 * its supervisor; this says whether one that runs can work.
 */
register();
const { loadConfig } = await import('../src/config.ts');
const { answers } = await import('../src/embedded/probe.ts');
const { mongoUrl, creditsRedisUrl, queueRedisUrl } = loadConfig();
const services = Object.entries({ mongo: mongoUrl, credits: creditsRedisUrl, queue: queueRedisUrl });
const checked = await Promise.all(
  services.map(async ([name, url]) => (url !== undefined && (await answers(name, url)) ? [] : [name])),
);
const silent = checked.flat();
if (silent.length > 0) console.error(`These services do not answer: ${silent.join(', ')}`);
process.exitCode = silent.length > 0 ? 1 : 0;
