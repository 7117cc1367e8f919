export { answerOf, type ErrorBody, type ErrorDetail, TidemarkError } from './error.ts';
export type { FilingEvent, Following } from './events.ts';
export type { components, operations, paths } from './schema.ts';
export { type Settings, type Tidemark, tidemark } from './tidemark.ts';
export { type Problem, type Verification, verifyBrief, verifyEvidence } from './verify.ts';
