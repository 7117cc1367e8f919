import type { RateLimit } from '../../credits/wallet.ts';
import type { Html } from '../html.ts';
import type { SandboxBrief } from './sandbox-briefs.ts';

/** What the guide says of this installation. */
export type Setting = {
  readonly siteUrl: string;
  /** Absent where keys are not bounded. */
  readonly rateLimit: RateLimit | undefined;
  readonly sandbox: readonly SandboxBrief[];
};

/** A part of the guide, with its place in the table of contents. */
export type Section = {
  readonly id: string;
  readonly title: string;
  readonly body: (setting: Setting) => Html;
};
