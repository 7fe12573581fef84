import type { DeadLetterStatus, LetterTrigger } from '../../../hook/dead-control.ts';
import { objectText } from '../../../hook/run-record.ts';
import { markup, type Html } from '../html.ts';
import { OBJECT, TEXT } from '../parameters.ts';
import {
  actionLink,
  badge,
  empty,
  field,
  filterForm,
  hookAndBinding,
  objectLink,
  runLink,
  table,
  time,
} from '../parts.ts';
import { NO_PAYLOAD, type View, type ViewContext } from '../view.ts';
import { filterOf, selectLetters } from './select-letters.ts';

const LIMIT = 100;

/** What was given up; actions are on all that match the filter, or on one. */
export const deadView: View = {
  path: '/dead',
  title: 'Dead letters',
  isListed: true,
  parameters: { id: TEXT, hook: TEXT, reason: TEXT, object: OBJECT, group: TEXT },
  right: () => ({ verb: 'list', resource: 'runs' }),
  render: async (context) => {
    const { given, mayRead, actions } = context;
    const filter = filterOf(given);
    const letters = await selectLetters(filter, context);
    const form = filterForm(
      '/dead',
      [
        field('hook', 'Hook', given('hook')),
        field('reason', 'Reason', given('reason')),
        field('object', 'Object', given('object'), 'namespace/name'),
        filter.group !== undefined && markup`<input type="hidden" name="group" value="${filter.group}" />`,
      ],
      Object.keys(filter).length > 0,
    );
    const ofGroup =
      filter.group !== undefined &&
      markup`<p>Those of one group of <a href="/failures">failures</a>; <a href="/dead">all</a></p>`;
    if (letters.length === 0) return markup`${[form, ofGroup, empty('No dead letter matches.')]}`;
    const more =
      letters.length > LIMIT && empty(`and ${letters.length - LIMIT} more; actions on all that match include them`);
    const all = actionsOf(
      actions,
      { hook: filter.hook, reason: filter.reason, object: filter.object, group: filter.group },
      `all ${letters.length}`,
      `all ${letters.length} that match`,
    );
    const bulk = letters.length > 1 && markup`<p>${letters.length} match. ${all}</p>`;
    return markup`${[form, ofGroup, bulk, listOf(letters.slice(0, LIMIT), context), more, !mayRead && empty(NO_PAYLOAD)]}`;
  },
};

function listOf(letters: readonly DeadLetterStatus[], { mayRead, actions }: ViewContext): Html {
  const rows = letters.map((letter) => [
    markup`<code>${letter.id}</code>`,
    markup`${hookAndBinding(letter.hook, letter.binding)}${letter.hookIs !== 'same' && letter.hookIs !== 'unknown' && markup` <span class="sub">hook ${letter.hookIs}</span>`}`,
    aboutOf(letter.trigger),
    markup`${badge(letter.why, 'bad')} ${letter.reason}${mayRead && markup` <span class="sub">${letter.message}</span>`}`,
    letter.attempts,
    time(letter.firstAtMs),
    time(letter.lastAtMs),
    runLink(letter.runId),
    actionsOf(actions, { id: letter.id }, letter.id),
  ]);
  return table('Dead letters', COLUMNS, rows);
}

const COLUMNS = [
  'Id',
  'Hook',
  'About',
  'Why',
  { title: 'Attempts', isNumber: true },
  'First',
  'Last',
  'Run',
  'Actions',
];

function actionsOf(
  actions: ViewContext['actions'],
  filter: Readonly<Record<string, string | undefined>>,
  what: string,
  words = '',
): Html {
  const link = (verb: 'Retry' | 'Drop', action: 'retry' | 'drop'): Html | false => {
    const label = words === '' ? `${verb} ${what}` : undefined;
    return actions.has(action) && actionLink(`${verb} ${words}`.trim(), { do: action, ...filter }, label);
  };
  return markup`<span class="acts">${[link('Retry', 'retry'), link('Drop', 'drop')]}</span>`;
}

function aboutOf(trigger: LetterTrigger): Html {
  if ('name' in trigger) return markup`${trigger.kind} ${objectLink(trigger.kind, objectText(trigger))}`;
  if (trigger.type === 'schedule') return markup`tick of ${time(trigger.scheduledAtMs)}`;
  return markup`${trigger.type}`;
}
