import { stringify } from 'yaml';
import { UsageError } from '../../errors.ts';
import { parseDuration } from '../../lib/duration.ts';
import { shown } from '../../lib/shown.ts';
import { sleep } from '../../lib/sleep.ts';
import type { ControlIo } from '../control/client.ts';
import { oneOf } from '../options/output-format.ts';
import { programName } from '../program/program-name.ts';

/** The flags of `queue list`. */
export interface QueueListFlags {
  readonly output?: string;
  readonly showEmpty?: boolean;
  readonly watch?: boolean;
  readonly watchInterval?: string;
}

const FORMATS = ['text', 'json', 'yaml'] as const;
const DEFAULT_WATCH_MS = 1000;
const MIN_WATCH_MS = 100;
/** Clears a terminal, with the cursor in its first line. */
const CLEAR = '\u001B[2J\u001B[H';

/** Whether the queues are to be shown as shell-operator shows them. */
export function isDumpAsked(flags: QueueListFlags, name = programName()): boolean {
  const { output, showEmpty, watch, watchInterval } = flags;
  return (
    name === 'shell-operator' ||
    output === 'yaml' ||
    showEmpty === true ||
    watch === true ||
    watchInterval !== undefined
  );
}

/** `queue list` as in shell-operator; with `watch` until the person ends it. Resolves to the exit code, as the others do. */
export async function dumpQueues(flags: QueueListFlags, io: ControlIo): Promise<number> {
  const format = oneOf(FORMATS, flags.output);
  const path = `/queue/list.${format}?showEmpty=${String(flags.showEmpty === true)}`;
  if (flags.watch !== true) {
    io.stdout((await io.client.fetch({ path }, io.signal)).toString());
    return 0;
  }
  const everyMs = watchMs(flags.watchInterval, io);
  for (; !io.signal.aborted; await sleep(everyMs, io.signal)) {
    const text = (await io.client.fetch({ path }, io.signal)).toString();
    io.raw(`${CLEAR}${new Date(io.now()).toISOString()}\n\n`);
    io.stdout(text);
  }
  return 0;
}

function watchMs(given: string | undefined, io: ControlIo): number {
  const parsed = given === undefined ? DEFAULT_WATCH_MS : parseDuration(given);
  if (parsed !== undefined && parsed > 0) return Math.max(MIN_WATCH_MS, parsed);
  io.stderr(`--watchInterval: got ${shown(given)}, expected a duration such as 5s; it is 1s\n`);
  return DEFAULT_WATCH_MS;
}

/** `queue main`. */
export async function dumpMainQueue(output: string | undefined, io: ControlIo): Promise<number> {
  return print(`/queue/main.${oneOf(FORMATS, output)}`, io);
}

/** `hook list`. */
export async function listHooks(output: string | undefined, io: ControlIo): Promise<number> {
  return print(`/hook/list.${oneOf(FORMATS, output)}`, io);
}

/** `hook snapshot`. YAML is made here, because the operator has no time for much of it. */
export async function dumpSnapshots(hook: string, output: string | undefined, io: ControlIo): Promise<number> {
  const format = oneOf(FORMATS, output);
  const name = hook.split('/').map(encodeURIComponent).join('/');
  const path = `/hook/${name}/snapshots.${format === 'yaml' ? 'json' : format}`;
  if (format !== 'yaml') return print(path, io);
  const bytes = await io.client.fetch({ path }, io.signal);
  io.stdout(`${stringify(JSON.parse(bytes.toString()), { aliasDuplicateObjects: false, lineWidth: 0 })}\n`);
  return 0;
}

/** `config list`. */
export async function listConfig(output: string | undefined, io: ControlIo): Promise<number> {
  return print(`/config/list.${oneOf(FORMATS, output)}`, io);
}

/** What `config set` is called with. */
export interface SetConfig {
  readonly name: string;
  readonly value: string;
  readonly duration?: string | undefined;
}

/** `config set`. */
export async function setConfig({ name, value, duration }: SetConfig, io: ControlIo): Promise<number> {
  if (duration !== undefined && parseDuration(duration) === undefined) {
    throw new UsageError(`invalid duration ${shown(duration)}: expected one such as 30s or 1h30m`);
  }
  const form = { name, value, ...(duration !== undefined && { duration }) };
  io.stdout(`${(await io.client.fetch({ path: '/config/set', form }, io.signal)).toString()}\n`);
  return 0;
}

/** `raw`: the answer to a path, as it is. */
export async function askRaw(path: string, io: ControlIo): Promise<number> {
  const bytes = await io.client.fetch({ path: path.startsWith('/') ? path : `/${path}` }, io.signal);
  io.raw(bytes);
  io.raw('\n');
  return 0;
}

/** As shell-operator prints it, with an empty line at the end. */
async function print(path: string, io: ControlIo): Promise<number> {
  io.stdout(`${(await io.client.fetch({ path }, io.signal)).toString()}\n`);
  return 0;
}
