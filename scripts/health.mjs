#!/usr/bin/env node
import './require-node.mjs';
import { register } from 'tsx/esm/api';

/**
 * Health of a process without a port: exit code 0 when the MongoDB and both Redis instances of its settings
 * answer, else 1 and a line that names the others. A supervisor restarts a process that ends; this check
 * is for a process that runs but cannot work.
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
