import type { FailingView, OperatorStatus, QueueView, RunningView, ShardsView } from '../../../hook/operator-view.ts';
import { markup, NOTHING, pathTo, type Html } from '../html.ts';
import {
  actionLink,
  badge,
  empty,
  errorOf,
  hookAndBinding,
  objectLink,
  runLink,
  section,
  table,
  time,
} from '../parts.ts';
import type { View, ViewContext } from '../view.ts';
import { memoryText, timeLeft } from './limits.ts';

/** What runs, what waits and why, and what fails. */
export const nowView: View = {
  path: '/',
  title: 'Now',
  isListed: true,
  parameters: {},
  right: () => ({ verb: 'list', resource: 'queues' }),
  render: async (context) => {
    const status = context.model.view.status();
    return markup`${tiles(status)}${troubles(status, context)}${running(status, context)}${queues(status, context)}${pools(status)}${failing(status, context)}`;
  },
};

function tiles({
  role,
  hooks,
  running: runs,
  moreRunning = 0,
  queues: all,
  failing: failures,
  deadLetters = 0,
}: OperatorStatus): Html {
  const waiting = all.reduce((sum, queue) => sum + queue.waiting, 0);
  const tile = (words: string, value: string | number, link: string, isBad = false): Html =>
    markup`<li><a href="${link}" ${isBad && markup` class="bad"`}><b>${value}</b> ${words}</a></li>`;
  return markup`<ul class="tiles">${[
    tile('running', runs.length + moreRunning, '/runs?outcome=running'),
    tile('waiting', waiting, '#queues'),
    tile('failing', failures.length, '/failures', failures.length > 0),
    tile('dead letters', deadLetters, '/dead', deadLetters > 0),
    tile('hooks', hooks.loaded, '/hooks'),
    tile(role === 'alone' ? 'the only replica' : 'this replica', role, '/replicas', role === 'lost'),
  ]}</ul>`;
}

/** What keeps hooks from working as a whole. */
function troubles({ role, leader, hooks, paused, suspended, shards }: OperatorStatus, { model }: ViewContext): Html {
  const held = model.view.held();
  const lines = [
    shards !== undefined && markup`${shardsLine(shards)}`,
    role === 'standing-by' &&
      shards === undefined &&
      markup`This replica stands by; ${leader === undefined ? 'no leader is known' : markup`<b>${leader}</b> leads`}. It
      runs nothing, and its runs are those of before.`,
    hooks.broken.length > 0 &&
      markup`${badge('broken')} ${hooks.broken.map(({ hook }) => markup`<a href="${pathTo('/hook', { name: hook })}">${hook}</a> `)}could not be
      loaded.`,
    hooks.starting.length > 0 &&
      markup`${badge('starting')} ${hooks.starting.slice(0, 10).join(', ')}: waiting for their turn, a kind or a
        Synchronization. <a href="/watches">Watches</a>`,
    paused.length > 0 &&
      markup`${badge('paused')} ${paused.slice(0, 10).join('; ')}. <a href="/pauses">${held} held back</a>`,
    suspended.length > 0 &&
      markup`${badge('suspended')} ${suspended
        .slice(0, 10)
        .map(({ hook, binding }) => `${hook} ${binding}`)
        .join(', ')}. <a href="/schedules">Schedules</a>`,
  ].filter((line) => line !== false);
  return lines.length === 0 ? NOTHING : markup`<ul class="notes">${lines.map((line) => markup`<li>${line}</li>`)}</ul>`;
}

function running({ running: runs, moreRunning = 0 }: OperatorStatus, { model, nowMs }: ViewContext): Html {
  const rows = runs.map((run: RunningView) => [
    runLink(run.id),
    hookAndBinding(run.hook, run.binding),
    run.reason,
    run.queue === '' ? 'none: a caller waits' : run.queue,
    run.attempt,
    time(run.started),
    timeLeft(run, model.timeoutOf(run.hook), nowMs),
  ]);
  const columns = ['Run', 'Hook', 'Why', 'Queue', { title: 'Attempt', isNumber: true }, 'Since', 'Limit'];
  const list = rows.length === 0 ? empty('Nothing runs.') : table('Running', columns, rows);
  const notes = [moreRunning > 0 && `and ${moreRunning} more`, rows.length > 0 && memoryText(model.memory())];
  const note = notes.filter((one) => typeof one === 'string').join('; ');
  return section('Running', list, note === '' ? undefined : note);
}

function queues({ queues: all }: OperatorStatus, { actions }: ViewContext): Html {
  const rows = all.map((queue) => [
    markup`<b>${queue.queue}</b>`,
    queue.running,
    queue.waiting,
    time(queue.tasks[0]?.queued),
    why(queue),
    actions.has('pause') && actionLink('Pause', { do: 'pause', queue: queue.queue }, `Pause queue ${queue.queue}`),
  ]);
  const columns = [
    'Queue',
    { title: 'Running', isNumber: true },
    { title: 'Waiting', isNumber: true },
    'Head since',
    'State',
    'Actions',
  ];
  const list = rows.length === 0 ? empty('All queues are empty.') : table('Queues', columns, rows);
  return markup`<div id="queues">${section('Queues', list)}</div>`;
}

/** The workers, where hooks have them. */
function pools({ pools: all = [] }: OperatorStatus): Html {
  if (all.length === 0) return NOTHING;
  const rows = all.map(({ pool, workers, capacity, busy, waiting, outdated }) => [
    pool,
    workers,
    capacity,
    busy,
    waiting,
    outdated,
  ]);
  const columns = [
    'Pool',
    ...['Workers', 'Places', 'Busy', 'Waiting', 'With other hooks'].map((title) => ({ title, isNumber: true })),
  ];
  return section('Workers', table('Workers', columns, rows));
}

/** Why the head of a queue does not go on, or what it is. */
function why({ running: runs, delayedUntil, limitedSince, limitedBy, tasks }: QueueView): Html {
  const [head] = tasks;
  const what = head === undefined ? NOTHING : markup`${hookAndBinding(head.hook, head.binding)}: ${head.reason}`;
  if (delayedUntil !== undefined) {
    return markup`${badge('waiting')} for attempt ${head?.attempt}, due ${time(delayedUntil)}: ${what}`;
  }
  if (limitedSince !== undefined)
    return markup`${badge('waiting')} for ${limitedBy ?? 'the rate limit of its hook'} since ${time(limitedSince)}: ${what}`;
  return markup`${runs > 0 ? badge('running') : badge('waiting')} ${what}`;
}

function failing({ failing: failures }: OperatorStatus, { mayRead }: ViewContext): Html {
  const rows = failures.map((one: FailingView) => [
    hookAndBinding(one.hook, one.binding),
    one.object === undefined
      ? '–'
      : markup`${objectLink('', one.object)}${one.objects > 1 && markup` <span class="sub">and ${one.objects - 1} more</span>`}`,
    runLink(one.runId),
    mayRead && one.message !== undefined && errorOf(one.hook, one.message),
    time(one.at),
    one.dead === true ? badge('dead') : time(one.again),
  ]);
  const list =
    rows.length === 0
      ? empty('Nothing fails.')
      : table('Failing', ['Hook', 'Object', 'Last run', 'Error', 'At', 'Again'], rows);
  return section('Failing', list, markup`<a href="/failures">in groups</a>`);
}

function shardsLine({ count, slices, members, moves, problem }: ShardsView): string {
  const which = count === 0 ? 'no slices' : `${count} of 64 slices (${slices})`;
  const moving = moves.length === 0 ? '' : `; slices on the move: ${rangesOf(moves)}`;
  return `This replica has ${which}; members: ${members.length}${moving}${problem === undefined ? '' : `; ${problem}`}.`;
}

function rangesOf(moves: ShardsView['moves']): string {
  return moves.map(({ slice, to }) => `${slice} to ${to}`).join(', ');
}
