import type { Mount } from '../app.ts';
import { addDocument } from '../endpoint/free-route.ts';
import { openApiDocument } from './document.ts';

/** `/openapi.json`: free, without a key, for every origin, with an entity tag. */
export const mountOpenApi: Mount = (app, api) => {
  addDocument(app, '/openapi.json', () => openApiDocument(api.siteUrl));
};
