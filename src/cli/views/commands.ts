import type { ObjectView, OperatorStatus, QueueView, WhyView } from '../../hook/operator-view.ts';
import type { ObjectOutcome } from '../../hook/run-control.ts';
import { sleep } from '../../lib/sleep.ts';
import { ControlFailure, type ControlIo } from '../control/client.ts';
import { countText } from '../text/count-text.ts';
import { objectTable, objectViewText, whyText } from './object-text.ts';
import { oneOf } from '../options/output-format.ts';
import { queuesText, statusText } from './status-text.ts';

const WATCH_MS = 2000;

/** `hooklet status`; resolves to the exit code, as the others do. */
export async function showStatus(output: string | undefined, io: ControlIo): Promise<number> {
  const status = await ask(io, '/status', 'status', isStatus);
  return print(status, output, io, () => statusText(status, io.now()));
}

/** `hooklet queue list`. */
export async function listQueues(output: string | undefined, io: ControlIo): Promise<number> {
  const { queues, held } = await askQueues(io);
  return print(queues, output, io, () => queueText(queues, held, io));
}

/** `hooklet queue watch`: prints the queues whenever they change, until the person ends the command. */
export async function watchQueues(io: ControlIo): Promise<number> {
  for (let last = ''; !io.signal.aborted; await sleep(WATCH_MS, io.signal)) {
    const { queues, held } = await askQueues(io);
    const now = JSON.stringify([queues, held]);
    if (now !== last) io.stdout(`${new Date(io.now()).toISOString()}\n${queueText(queues, held, io)}\n`);
    last = now;
  }
  return 0;
}

/** `hooklet objects list`. */
export async function listObjects(
  hook: string | undefined,
  output: string | undefined,
  io: ControlIo,
): Promise<number> {
  const objects = await ask(io, `/objects?${queryOf({ hook })}`, 'objects', isObjects);
  return print(objects, output, io, () => objectTable(objects, io.now()));
}

/** `hooklet objects show`. */
export async function showObject(
  object: string,
  { hook, output }: { readonly hook?: string | undefined; readonly output?: string | undefined },
  io: ControlIo,
): Promise<number> {
  const view = await ask(io, `/objects/${encodeURIComponent(object)}?${queryOf({ hook })}`, 'object', isObjectView);
  return print(view, output, io, () => objectViewText(view, io.now()));
}

/** `hooklet why`. */
export async function showWhy(
  hook: string,
  { object, output }: { readonly object: string; readonly output?: string | undefined },
  io: ControlIo,
): Promise<number> {
  const why = await ask(io, `/why?${queryOf({ hook, object })}`, 'why', isWhy);
  return print(why, output, io, () => whyText(why, io.now()));
}

interface Queues {
  readonly queues: readonly QueueView[];
  /** The number of runs that wait for the end of a pause; 0 where an older operator does not say. */
  readonly held: number;
}

async function askQueues({ client, signal }: ControlIo): Promise<Queues> {
  const { queues, held } = await client.ask('GET', '/queues', signal);
  if (!isQueues(queues)) throw noMember('queues');
  return { queues, held: typeof held === 'number' ? held : 0 };
}

function queueText(queues: readonly QueueView[], held: number, io: ControlIo): string {
  const paused = held === 0 ? '' : `Waiting for the end of a pause: ${countText(held, 'run')}; see hooklet pause\n`;
  if (queues.length > 0) return `${queuesText(queues, io.now())}${paused}`;
  return paused === '' ? 'Nothing runs or waits.\n' : `No queue has runs.\n${paused}`;
}

function print(value: unknown, output: string | undefined, io: ControlIo, text: () => string): number {
  const format = oneOf(['text', 'json'], output);
  io.stdout(format === 'json' ? `${JSON.stringify(value, undefined, 2)}\n` : text());
  return 0;
}

async function ask<T>(
  { client, signal }: ControlIo,
  path: string,
  member: string,
  isIt: (value: unknown) => value is T,
): Promise<T> {
  const value = (await client.ask('GET', path, signal))[member];
  if (isIt(value)) return value;
  throw noMember(member);
}

function noMember(member: string): ControlFailure {
  return new ControlFailure(`the operator gave no ${member}: is it another version?`);
}

function queryOf(values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, value);
  return query.toString();
}

function has(value: unknown, ...names: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && names.every((name) => Object.hasOwn(value, name));
}

function isStatus(value: unknown): value is OperatorStatus {
  return has(value, 'role', 'hooks', 'running', 'queues', 'failing', 'suspended', 'paused');
}

function isQueues(value: unknown): value is readonly QueueView[] {
  return Array.isArray(value) && value.every((one) => has(one, 'queue', 'running', 'waiting', 'tasks'));
}

function isObjects(value: unknown): value is readonly ObjectOutcome[] {
  return Array.isArray(value) && value.every((one) => has(one, 'hook', 'name', 'outcome', 'at'));
}

function isObjectView(value: unknown): value is ObjectView {
  return has(value, 'outcomes', 'children', 'runs');
}

function isWhy(value: unknown): value is WhyView {
  return has(value, 'hook', 'object', 'bindings', 'runs');
}
