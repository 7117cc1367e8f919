import { existsSync } from 'node:fs';

/** Takes the settings of `.env` in the current folder, as Docker does. What the environment says stands. */
export function loadEnv() {
  if (existsSync('.env')) process.loadEnvFile('.env');
}
