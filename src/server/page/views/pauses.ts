import type { PauseStatus } from '../../../hook/pause-control.ts';
import { markup, type Html } from '../html.ts';
import { actionLink, empty, field, section, table, time } from '../parts.ts';
import { TEXT } from '../parameters.ts';
import type { View, ViewContext } from '../view.ts';

const LIMIT = 300;

/** What is paused, by whom it can be ended, and a form that pauses. */
export const pausesView: View = {
  path: '/pauses',
  title: 'Pauses',
  isListed: true,
  parameters: { hook: TEXT },
  right: () => ({ verb: 'list', resource: 'queues' }),
  render: async (context) => {
    const all = await context.model.pauses.list();
    const rows = all
      .slice(0, LIMIT)
      .map((pause) => [
        targetText(pause.target),
        pause.by === 'hand' ? 'by hand' : markup`annotation <code>hooklet.dev/pause</code>`,
        time(pause.sinceMs),
        pause.held,
        pause.by === 'hand' && context.actions.has('resume') && resume(pause),
      ]);
    const columns = ['What', 'By', 'Since', { title: 'Held back', isNumber: true }, 'Actions'];
    const list = rows.length === 0 ? empty('Nothing is paused.') : table('Pauses', columns, rows);
    return markup`${section('Paused', list)}${context.actions.has('pause') && form(context)}`;
  },
};

/** `hook a.sh`, `queue main`, `Pod default/web of a.sh`. */
export function targetText(target: PauseStatus['target']): string {
  switch (target.type) {
    case 'hook':
      return `hook ${target.hook}`;
    case 'queue':
      return `queue ${target.queue}`;
    case 'namespace':
      return `all objects in ${target.namespace}`;
    case 'object': {
      const { kind = 'object', namespace, name, hook } = target;
      const where = namespace === '' ? name : `${namespace}/${name}`;
      return `${kind} ${where}${hook === undefined ? ' for all hooks' : ` for ${hook}`}`;
    }
  }
}

function resume({ target }: PauseStatus): Html {
  const { type: _type, ...query } = target;
  return actionLink('Resume', { do: 'resume', ...query }, `Resume ${targetText(target)}`);
}

function form({ given }: ViewContext): Html {
  return section(
    'Pause',
    markup`<form class="filter" method="get" action="/confirm"><input type="hidden" name="do" value="pause" />${[
      field('hook', 'Hook', given('hook')),
      field('queue', 'or queue', undefined),
      field('name', 'or object', undefined, 'name'),
      field('namespace', 'in namespace', undefined),
      field('kind', 'of kind', undefined, 'any'),
    ]}<button>Pause…</button></form>`,
  );
}
