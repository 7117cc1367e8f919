import { html } from '../html.ts';
import {
  CORROBORATION_LINES,
  INSIDER_LINES,
  INSIDER_STANCES,
  INSTITUTIONAL_LINES,
  OUTCOME_LINES,
  REASON_LINES,
} from './brief-tables.ts';
import { inline, paragraphs, table } from './prose.ts';
import type { Section } from './section.ts';

const code = (text: string) => html`<code>${text}</code>`;

export const reading: Section = {
  id: 'brief',
  title: 'Reading a brief',
  body: () => html`
${paragraphs('Four words sum a brief up. Each follows from its numbers by a table, and the first line that applies decides. `outcome` says how far the brief goes; every outcome is a 200.')}
${table(
  'What decides the outcome',
  [{ title: 'outcome' }, { title: 'When' }],
  OUTCOME_LINES.map(({ when, outcome }) => [code(outcome), inline(when)]),
)}
${paragraphs('`institutional.stance` weighs share counts, never values, and only the changes whose quality is `clear`. The gross is the sum of all of them, the net what is left when increases and decreases are set against each other.')}
${table(
  'What decides the institutional stance',
  [{ title: 'institutional.stance' }, { title: 'When' }],
  INSTITUTIONAL_LINES.map(({ when, stance }) => [code(stance), inline(when)]),
)}
${paragraphs('`insiders.stance` weighs the priced value of open-market trades of the window. A trade without a price counts as a trade and weighs nothing.')}
${table(
  'What decides the stance of the insiders',
  [{ title: 'insiders.stance' }, { title: 'When' }],
  INSIDER_LINES.map(({ when, stance }) => [code(stance), inline(when)]),
)}
${paragraphs('`corroboration` sets the two side by side: the institutional stance by line, that of the insiders by column.')}
${table(
  'What decides the corroboration',
  [{ title: 'institutional' }, ...INSIDER_STANCES.map((title) => ({ title }))],
  CORROBORATION_LINES.map(({ institutional, words }) => [code(institutional), ...words.map(code)]),
)}
`,
};

const EFFECT = {
  clear: 'told, nothing more',
  uncertain: 'counted, left out of the direction',
  excluded: 'left out of every number',
} as const;

const LEG = { thirteen_f: '13F', form4: 'Form 4' } as const;

export const reasons: Section = {
  id: 'reasons',
  title: 'Quality reasons',
  body: () => html`
${paragraphs('Whatever is doubtful in a filing, a position or a trade is named by a reason of this closed list: in `quality.reasons` of the item, and in `quality_artifacts.groups` of a brief with a count and an example. The strongest effect among its reasons is the `quality.status` of an item. A reason may suppress the direction when the uncertain changes outweigh the clear ones, or none is clear.')}
${table(
  'Every quality reason',
  [
    { title: 'reason' },
    { title: 'Of' },
    { title: 'severity' },
    { title: 'status' },
    { title: 'What the observation becomes' },
    { title: 'May suppress' },
    { title: 'What it says' },
  ],
  REASON_LINES.map(({ reason, leg, severity, effect, maySuppress, description }) => [
    code(reason),
    html`${LEG[leg]}`,
    code(severity),
    code(effect),
    html`${EFFECT[effect]}`,
    html`${maySuppress ? 'yes' : 'no'}`,
    inline(description),
  ]),
)}
`,
};
