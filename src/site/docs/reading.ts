import type { ReasonRule } from '../../domain/quality/quality.ts';
import { html } from '../html.ts';
import {
  CORROBORATION_LINES,
  INSIDER_LINES,
  INSIDER_STANCES,
  INSTITUTIONAL_LINES,
  OF_VALUES,
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
${paragraphs('`institutional.stance` weighs share counts, never values, and only the changes whose quality is `clear`. The gross is the sum of all of them, the net what is left when increases and decreases are set against each other. While the filing window of a quarter is open, a manager that has not reported it counts by its report for the quarter before: `periods_observed` tells how many count by which quarter, and each change names its own.')}
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

const EFFECTS: readonly (readonly [status: ReasonRule['effect'], becomes: string])[] = [
  [
    'clear',
    'It is counted and has its say in the direction, unless there is nothing to weigh: a baseline (`no_prior_comparable_filing`) is no change, and a trade without a plausible price (`price_missing`, `price_zero`, `price_implausible`) has no value. Some of these reasons tell of a number that was corrected, or of a value that is in no sum of values: their lines say so.',
  ],
  [
    'uncertain',
    'It is counted and listed, and left out of the direction. A doubt of values alone leaves it in there.',
  ],
  [
    'excluded',
    'It is left out of every number of a brief. The value of a row stays in the sums of its own report, such as `aum_cents`, unless it is implausible.',
  ],
];

export const reasons: Section = {
  id: 'reasons',
  title: 'Quality reasons',
  body: () => html`
${paragraphs('Whatever is doubtful in a filing, a position or a trade is named by a reason of this closed list: in `quality.reasons` of the item, and in `quality_artifacts.groups` of a brief with a count and an example. The strongest status among its reasons is the `quality.status` of an item:')}
${table(
  'What becomes of an observation',
  [{ title: 'status' }, { title: 'What becomes of the observation' }],
  EFFECTS.map(([status, becomes]) => [code(status), inline(becomes)]),
)}
${paragraphs('A reason that **may suppress** takes the direction of a brief away when the changes that it makes uncertain outweigh the clear ones, or when none is clear: then `quality_artifacts.suppresses_direction` is true. A doubt **of values alone** leaves a change of shares clear.')}
${reasonTable('Reasons of Form 13F', 'thirteen_f')}
${reasonTable('Reasons of Form 4', 'form4')}
`,
};

function reasonTable(caption: string, leg: ReasonRule['leg']) {
  return table(
    caption,
    [{ title: caption }, { title: 'severity' }, { title: 'status' }, { title: 'What it says' }],
    REASON_LINES.filter((line) => line.leg === leg).map(
      ({ reason, severity, effect, maySuppress, isOfValues, description }) => [
        code(reason),
        code(severity),
        html`${code(effect)}${maySuppress ? ' may suppress' : ''}${isOfValues ? OF_VALUES : ''}`,
        inline(description),
      ],
    ),
  );
}
