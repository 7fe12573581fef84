import type { FailingView, OperatorStatus, PoolView, QueueView, ShardsView } from '../../hook/operator-view.ts';
import { printableLine } from '../../lib/printable.ts';
import { countText } from '../text/count-text.ts';
import { againText, agoText, shortId, tookText } from './run-list.ts';
import { textTable } from '../text/text-table.ts';

/** The output of `hooklet status`: one screen, without what there is nothing of. */
export function statusText(status: OperatorStatus, nowMs: number): string {
  const sections = [
    headText(status),
    section('RUNNING', runningText(status, nowMs)),
    section('QUEUES', queuesText(status.queues, nowMs)),
    section('SLICES', shardsText(status)),
    section('WORKERS', poolsText(status.pools ?? [])),
    section('FAILING', failingText(status.failing, nowMs)),
    section(
      'BROKEN',
      list(status.hooks.broken.map(({ hook, message }) => `${hook}: ${message.replaceAll(/\s*\n\s*/g, ' ')}`)),
    ),
    section('STARTING', list(status.hooks.starting)),
    section('SUSPENDED', list(status.suspended.map(({ hook, binding }) => `${hook} ${binding}`))),
    section('PAUSED', list(status.paused)),
    deadText(status),
  ];
  return sections.filter((text) => text !== '').join('\n');
}

/** The table of queues that `hooklet queue list` prints too. */
export function queuesText(queues: readonly QueueView[], nowMs: number): string {
  const rows = queues.map((queue) => {
    const [head] = queue.tasks;
    const first = head === undefined ? '' : `${head.hook}: ${head.reason} (attempt ${head.attempt})`;
    return [queue.queue, String(queue.running), String(queue.waiting), first, untilText(queue, nowMs)];
  });
  return rows.length === 0 ? '' : textTable(['QUEUE', 'RUNS', 'WAIT', 'FIRST', 'UNTIL'], rows);
}

function poolsText(pools: readonly PoolView[]): string {
  const rows = pools.map(({ pool, ...counts }) => {
    const { workers, outdated, capacity, busy, waiting } = counts;
    return [pool, ...[workers, capacity, busy, waiting].map(String), outdated === 0 ? '' : String(outdated)];
  });
  return rows.length === 0 ? '' : textTable(['POOL', 'WORKERS', 'PLACES', 'BUSY', 'WAIT', 'WITH OTHER HOOKS'], rows);
}

function headText({ role, leader, hooks, shards }: OperatorStatus): string {
  const roles = {
    alone: 'This operator runs alone',
    leading: 'This replica leads',
    lost: 'This replica lost the lease and stops',
    'standing-by': shards
      ? dividedText(shards, leader)
      : leader === undefined
        ? 'This replica stands by'
        : `This replica stands by, ${leader} leads`,
  };
  const { loaded, broken, starting } = hooks;
  const others = [
    ...(broken.length > 0 ? [`${broken.length} broken`] : []),
    ...(starting.length > 0 ? [`${starting.length} starting`] : []),
  ];
  return `${roles[role]}: ${[countText(loaded, 'hook'), ...others].join(', ')}.\n`;
}

function dividedText({ count }: ShardsView, leader: string | undefined): string {
  const beside = leader === undefined ? 'no leader is known' : `${leader} leads`;
  return `This replica works on ${countText(count, 'slice')} of 64, ${beside}`;
}

/** Which slices this replica has, and what happens to them. */
function shardsText({ shards }: OperatorStatus): string {
  if (shards === undefined) return '';
  const { state, count, slices, members, moves, unheld, problem } = shards;
  const rows = members.map((member) => [member.identity, member.state, String(member.count)]);
  const lines = [
    `Slices: ${count === 0 ? 'none' : `${count} of 64 (${slices})`}, ${state}.`,
    ...moves.map(({ slice, from, to }) => `Slice ${slice} moves from ${from} to ${to}.`),
    ...(unheld === 0 ? [] : [`${countText(unheld, 'slice')} nobody has at the moment.`]),
    ...(problem === undefined ? [] : [`Problem: ${problem}`]),
  ];
  return `${lines.join('\n')}\n${textTable(['MEMBER', 'STATE', 'SLICES'], rows)}`;
}

function deadText({ deadLetters = 0 }: OperatorStatus): string {
  return deadLetters === 0 ? '' : `${countText(deadLetters, 'dead letter')}: hooklet dead list\n`;
}

function runningText({ running, moreRunning = 0 }: OperatorStatus, nowMs: number): string {
  if (running.length === 0) return '';
  const rows = running.map(({ id, hook, binding, reason, attempt, started }) => [
    shortId(id),
    hook,
    binding,
    reason,
    String(attempt),
    tookText(nowMs - Date.parse(started)),
  ]);
  const more = moreRunning > 0 ? `and ${moreRunning} more\n` : '';
  return `${textTable(['RUN', 'HOOK', 'BINDING', 'WHY', 'ATTEMPT', 'FOR'], rows)}${more}`;
}

function failingText(failing: readonly FailingView[], nowMs: number): string {
  if (failing.length === 0) return '';
  const rows = failing.map((one) => [
    shortId(one.runId),
    one.hook,
    one.binding,
    objectsText(one),
    String(one.attempt),
    agoText(one.at, nowMs),
    nextOf(one, nowMs),
    one.message ?? '',
  ]);
  return textTable(['RUN', 'HOOK', 'BINDING', 'OBJECT', 'ATTEMPT', 'FAILED', 'NEXT', 'ERROR'], rows);
}

function objectsText({ objects, object = '' }: FailingView): string {
  return objects > 1 ? `${object} and ${objects - 1} more` : object;
}

function nextOf({ again, dead }: FailingView, nowMs: number): string {
  if (dead === true) return 'dead';
  return again === undefined ? '' : againText(again, nowMs);
}

function untilText({ delayedUntil, limitedSince, limitedBy = 'rate limit' }: QueueView, nowMs: number): string {
  if (delayedUntil !== undefined) return againText(delayedUntil, nowMs);
  if (limitedSince === undefined) return '';
  return `${limitedBy}, for ${tookText(nowMs - Date.parse(limitedSince))}`;
}

function section(title: string, text: string): string {
  return text === '' ? '' : `${title}\n${text}`;
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `${printableLine(line)}\n`).join('');
}
