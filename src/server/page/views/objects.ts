import { objectText } from '../../../hook/run-record.ts';
import { UsageError } from '../../../errors.ts';
import { markup, pathTo, type Html } from '../html.ts';
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
  section,
  table,
  time,
} from '../parts.ts';
import type { View, ViewContext } from '../view.ts';
import { runTable } from './runs.ts';

const LIMIT = 200;
/** How many runs the page of one object shows, and how many records it looks at. */
const RUNS = { limit: 50, effort: 400 };

/** The objects that hooks ran for, with what became of the last run about each. */
export const objectsView: View = {
  path: '/objects',
  title: 'Objects',
  isListed: true,
  parameters: { hook: TEXT, object: OBJECT },
  right: () => ({ verb: 'list', resource: 'runs' }),
  render: async (context) => {
    const { model, given } = context;
    const [hook, object] = [given('hook'), given('object')];
    const found = model.view.runs.objects({
      ...(hook !== undefined && { hook }),
      ...(object !== undefined && { object }),
    });
    const isFiltered = hook !== undefined || object !== undefined;
    const form = filterForm(
      '/objects',
      [field('object', 'Object', object, 'namespace/name'), field('hook', 'Hook', hook)],
      isFiltered,
    );
    const rows = found
      .slice(0, LIMIT)
      .map((one) => [
        one.name === '' ? '–' : objectLink(one.kind, objectText(one)),
        one.kind,
        hookAndBinding(one.hook, one.binding),
        markup`${badge(one.dead === true ? 'dead' : one.outcome)}${one.message !== undefined && context.mayRead && markup` <span class="sub">${one.message.slice(0, 160)}</span>`}`,
        time(one.at),
        time(one.again),
        runLink(one.runId),
      ]);
    const more = found.length > LIMIT && empty(`and ${found.length - LIMIT} more: give a hook or an object`);
    const list = table('Objects', ['Object', 'Kind', 'Hook', 'Last', 'At', 'Again', 'Run'], rows);
    return markup`${form}${rows.length === 0 ? empty('No hook ran for such an object.') : list}${more}`;
  },
};

/** Everything that any hook did about one object, in order. */
export const objectView: View = {
  path: '/object',
  title: 'Object',
  isListed: false,
  parameters: { name: OBJECT },
  right: () => ({ verb: 'list', resource: 'runs' }),
  render: async (context) => {
    const meant = context.given('name') ?? '';
    if (meant === '') throw new UsageError('say which object: ?name=KIND/NAMESPACE/NAME');
    const { outcomes, children } = context.model.view.object(meant, undefined);
    const { runs, more } = context.model.view.runs.list({ object: meant, ...RUNS });
    const hooks = outcomes.map((one) => [
      hookAndBinding(one.hook, one.binding),
      badge(one.dead === true ? 'dead' : one.outcome),
      one.generation,
      time(one.at),
      time(one.again),
      context.actions.has('pause') && pause(one),
    ]);
    const made = children.map((child) => [
      objectLink(
        child.kind,
        objectText({ name: child.name, ...(child.namespace !== undefined && { namespace: child.namespace }) }),
      ),
      `${child.apiVersion} ${child.kind}`,
      child.state,
    ]);
    const note = more
      ? markup`the last ${runs.length}; <a href="${pathTo('/runs', { object: meant })}">look further</a>`
      : undefined;
    const columns = ['Hook', 'Last', { title: 'Generation', isNumber: true }, 'At', 'Again', 'Actions'];
    const did = runs.length === 0 ? empty('No run about it is remembered.') : runTable('What hooks did', runs);
    return markup`${[
      markup`<p class="lead">${meant}</p>`,
      section('Hooks', hooks.length === 0 ? empty('None is known now.') : table('Hooks', columns, hooks)),
      made.length > 0 && section('Children', table('Children', ['Object', 'Kind', 'State'], made)),
      section('What hooks did', did, note),
    ]}`;
  },
};

function pause(one: ReturnType<ViewContext['model']['view']['object']>['outcomes'][number]): Html {
  const { hook, kind, namespace, name } = one;
  return actionLink('Pause', { do: 'pause', hook, kind, namespace, name }, `Pause ${objectText(one)} for ${hook}`);
}
