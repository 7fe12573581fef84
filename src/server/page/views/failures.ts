import { markup, pathTo, type Html, type HtmlValue } from '../html.ts';
import { TEXT } from '../parameters.ts';
import { actionLink, empty, hookLink, runLink, section, table, time } from '../parts.ts';
import { NO_PAYLOAD, type View, type ViewContext } from '../view.ts';
import { failureGroups, type FailureGroup } from './failure-groups.ts';

const MAX_GROUPS = 50;

/** Failed runs with the same last line of standard error, apart from its numbers and names, and their dead letters. */
export const failuresView: View = {
  path: '/failures',
  title: 'Failures',
  isListed: true,
  parameters: { hook: TEXT },
  right: () => ({ verb: 'list', resource: 'runs' }),
  render: async (context) => {
    const { groups, runs, more } = await failureGroups(context, context.given('hook'));
    if (groups.length === 0) return empty('No run that is remembered has failed.');
    const rows = groups.slice(0, MAX_GROUPS).map((group) => rowOf(group, context));
    const columns = ['What', { title: 'Runs', isNumber: true }, 'Hooks', 'First', 'Last', 'Last run', 'Dead letters'];
    const hidden = groups.length - MAX_GROUPS;
    const notes = [more && `of the last ${runs} failed runs`, hidden > 0 && `and ${hidden} more groups`];
    const note = notes.filter((one) => one !== false).join(', ');
    const list = section('By what they said last', table('Failures', columns, rows), note === '' ? undefined : note);
    return markup`${list}${!context.mayRead && empty(NO_PAYLOAD)}`;
  },
};

function rowOf({ key, line, runs, letters }: FailureGroup, context: ViewContext): readonly HtmlValue[] {
  const [last] = runs;
  const hooks = [...new Set([...runs, ...letters].map(({ hook }) => hook))];
  const firsts = letters.map(({ firstAtMs }) => firstAtMs);
  const lasts = letters.map(({ lastAtMs }) => lastAtMs);
  return [
    markup`<code>${line.slice(0, 300)}</code>`,
    runs.length,
    [
      ...hooks.slice(0, 5).map((name) => markup`${hookLink(name)} `),
      hooks.length > 5 && `and ${hooks.length - 5} more`,
    ],
    time(runs.at(-1)?.started ?? Math.min(...firsts)),
    time(last?.started ?? Math.max(...lasts)),
    last && runLink(last.id),
    letters.length > 0 && lettersOf(key, letters.length, context),
  ];
}

/** The dead letters of a group, and what may be done with all of them. */
function lettersOf(group: string, count: number, { given, actions }: ViewContext): Html {
  const query = { group, hook: given('hook') };
  const link = (verb: 'Retry' | 'Drop', action: 'retry' | 'drop'): Html | false =>
    actions.has(action) && actionLink(verb, { do: action, ...query }, `${verb} the ${count} dead letters of the group`);
  return markup`<span class="acts"><a href="${pathTo('/dead', query)}">${count}</a> ${[link('Retry', 'retry'), link('Drop', 'drop')]}</span>`;
}
