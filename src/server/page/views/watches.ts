import type { WatchFacts } from '../model.ts';
import { markup } from '../html.ts';
import { badge, empty, hookAndBinding, table, time } from '../parts.ts';
import type { View } from '../view.ts';

const LIMIT = 300;
/** Answers to pings come every few seconds. */
const SILENT_MS = 15_000;

/** What hooks watch, and how fresh it is. */
export const watchesView: View = {
  path: '/watches',
  title: 'Watches',
  isListed: true,
  parameters: {},
  right: () => ({ verb: 'list', resource: 'hooks' }),
  render: async ({ model, nowMs }) => {
    const all = model.watches();
    if (all.length === 0) return empty('No hook watches objects, or this replica stands by.');
    const rows = all
      .slice(0, LIMIT)
      .map((watch) => [
        hookAndBinding(watch.hook, watch.binding),
        watch.what,
        markup`${stateOf(watch, nowMs)}${watch.problem !== undefined && markup` <span class="sub">${watch.problem}</span>`}`,
        watch.objects,
        watch.changes,
        time(watch.lastContactAtMs),
        watch.restarts.length === 0 ? 'none' : watch.restarts.join(', '),
        watch.filterMs === undefined ? '–' : `${watch.filterMs.toFixed(2)} ms`,
      ]);
    const columns = [
      'Binding',
      'Objects of',
      'State',
      { title: 'Objects', isNumber: true },
      { title: 'Changes', isNumber: true },
      'Last contact',
      'Opened again',
      { title: 'Filter', isNumber: true },
    ];
    return markup`${table('Watches', columns, rows)}${all.length > LIMIT && empty(`and ${all.length - LIMIT} more`)}`;
  },
};

function stateOf({ isSynced, problem, lastContactAtMs }: WatchFacts, nowMs: number) {
  if (problem !== undefined) return badge('failing', 'bad');
  if (!isSynced) return badge('listing', 'warn');
  const isSilent = lastContactAtMs !== undefined && nowMs - lastContactAtMs > SILENT_MS;
  return isSilent ? badge('silent', 'warn') : badge('live', 'good');
}
