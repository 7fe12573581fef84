import type { DebugQueue, DebugSnapshot, RuntimeParameter, SnapshotOperations } from '../hook/debug-view.ts';
import { writeItems } from '../hook/context-items.ts';
import { JsonChunks } from '../hook/json-chunks.ts';

/** One queue as text: a line about it, an empty line, and a line for each task. */
export function queueText({ name, length, status, tasks }: DebugQueue): string {
  const lines = tasks.map((task, index) => `${String(index + 1).padStart(2)}. ${task}\n`);
  return `Queue '${name}': length ${length}, status: '${status}'\n\n${lines.join('')}`;
}

/** One queue as plain data. */
export function queueDocument({ name, length, status, tasks }: DebugQueue): object {
  return {
    name,
    tasksCount: length,
    ...(status !== '' && { status }),
    ...(tasks.length > 0 && { tasks: tasks.map((description, index) => ({ index: index + 1, description })) }),
  };
}

/** All queues as text: those with tasks, with `showEmpty` the names of the others, and a summary. */
export function queuesText(queues: readonly DebugQueue[], showEmpty: boolean): string {
  const { active, empty, summary } = sorted(queues);
  const parts = active.map(queueText);
  if (showEmpty && !isOnlyMain(queues)) {
    parts.push(
      `${active.length === 0 ? '\n' : ''}Empty queues (${empty.length}):\n${empty.map(({ name }) => `- ${name}\n`).join('')}`,
    );
  }
  return [...parts, summaryText(queues, summary)].join('\n');
}

/** All queues as plain data; the empty ones only with `showEmpty`. */
export function queuesDocument(queues: readonly DebugQueue[], showEmpty: boolean): object {
  const { active, empty, summary } = sorted(queues);
  const { main, others } = summary;
  const shown = showEmpty && !isOnlyMain(queues) ? empty : [];
  return {
    active: active.map(queueDocument),
    ...(shown.length > 0 && { empty: shown.map(({ name }) => ({ name, tasksCount: 0 })) }),
    summary: { mainQueueTasks: main, otherQueues: others, totalTasks: main + others.tasks },
  };
}

interface Summary {
  /** Tasks in the queue main. */
  readonly main: number;
  readonly others: { readonly active: number; readonly empty: number; readonly tasks: number };
}

interface Sorted {
  readonly active: readonly DebugQueue[];
  readonly empty: readonly DebugQueue[];
  readonly summary: Summary;
}

const MAIN = 'main';

function sorted(queues: readonly DebugQueue[]): Sorted {
  const inOrder = queues.toSorted((a, b) => orderOf(a.name, b.name));
  const others = queues.filter(({ name }) => name !== MAIN);
  const active = others.filter(({ length }) => length > 0).length;
  return {
    active: inOrder.filter(({ length }) => length > 0),
    empty: inOrder.filter(({ length }) => length === 0),
    summary: {
      main: tasksIn(queues.filter(({ name }) => name === MAIN)),
      others: { active, empty: others.length - active, tasks: tasksIn(others) },
    },
  };
}

/** The queue main is first. */
function orderOf(a: string, b: string): number {
  if (a === b) return 0;
  if (a === MAIN) return -1;
  if (b === MAIN) return 1;
  return a < b ? -1 : 1;
}

function tasksIn(queues: readonly DebugQueue[]): number {
  return queues.reduce((sum, { length }) => sum + length, 0);
}

/** An empty queue main alone is part of the summary. */
function isOnlyMain(queues: readonly DebugQueue[]): boolean {
  return queues.every(({ name }) => name === MAIN) && queues.some(({ length }) => length === 0);
}

function summaryText(queues: readonly DebugQueue[], { main, others }: Summary): string {
  if (queues.length === 0) return 'Summary:\n  No queues.\n';
  const hasMain = queues.some(({ name }) => name === MAIN);
  const count = others.active + others.empty;
  const word = count === 1 ? 'other queue' : 'other queues';
  const total = main + others.tasks;
  const lines = [
    ...(hasMain ? [`'main' queue: ${main === 0 ? 'empty' : tasksText(main)}`] : []),
    ...(count > 0
      ? [`${count} ${word} (${others.active} active, ${others.empty} empty): ${tasksText(others.tasks)}`]
      : []),
    total === 0 ? 'no tasks to handle' : `total ${tasksText(total)} to handle`,
  ];
  return `Summary:\n${lines.map((line) => `- ${line}.\n`).join('')}`;
}

function tasksText(count: number): string {
  return count === 1 ? '1 task' : `${count} tasks`;
}

/** The snapshots of a hook as JSON; a hook without kubernetes bindings has `null`. */
export function snapshotsJson(snapshots: readonly DebugSnapshot[]): readonly Uint8Array[] {
  const chunks = new JsonChunks();
  if (snapshots.length === 0) return chunks.text('null\n').finish();
  const byName = snapshots.toSorted((a, b) => (a.binding.name < b.binding.name ? -1 : 1));
  chunks.list('{', byName, (one) => {
    const { binding, snapshot, sinceStart, sinceLastExecution } = one;
    const operations = {
      sinceLastExecution: operationsOf(0, sinceLastExecution),
      sinceStart: operationsOf(snapshot.length, sinceStart),
    };
    chunks.value(binding.name).text(`:{"operations":${JSON.stringify(operations)},"snapshot":`);
    writeItems(chunks, binding, snapshot);
    chunks.text('}');
  });
  return chunks.text('\n').finish();
}

function operationsOf(count: number, { added, deleted, modified, cleaned }: SnapshotOperations): object {
  return { count, added, deleted, modified, cleaned };
}

/** Parameters as a table. */
export function configText(parameters: readonly RuntimeParameter[]): string {
  const rows = parameters.map(({ name, value, expireAt = '', description }) => [name, value, expireAt, description]);
  return [['NAME', 'VALUE', 'EXPIRE AT', 'DESCRIPTION'], ...rows].map(rowText).join('');
}

const WIDTHS = [30, 20, 20, 40];

function rowText(cells: readonly string[]): string {
  return `${cells.map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0)).join(' ')}\n`;
}

/** Parameters as plain data, with sorted keys. */
export function configDocument(parameters: readonly RuntimeParameter[]): readonly object[] {
  return parameters.map(({ name, description, default: fallback, value, expireAt }) => ({
    default: fallback,
    description,
    ...(expireAt !== undefined && { expireAt }),
    name,
    value,
  }));
}
