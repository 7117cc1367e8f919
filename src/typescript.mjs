// Imported first by whatever runs TypeScript. From Node 22.18 on Node itself leaves the types out.
import { register } from 'node:module';

if (!process.features.typescript) {
  // A stack trace names the lines of the source.
  process.setSourceMapsEnabled(true);
  register('./typescript-hooks.mjs', import.meta.url);
}
