import { UsageError } from '../../errors.ts';
import { durationText } from '../../lib/duration-text.ts';
import { isObject } from '../../lib/json-object.ts';
import type { PauseDocument } from '../../server/outcome-documents.ts';
import type { AskIo } from '../control/client.ts';
import { ControlFailure } from '../control/client.ts';
import { listFormat } from '../options/output-format.ts';
import { textTable } from '../text/text-table.ts';

/** What to pause, as the command line says. */
export interface PauseFlags {
  readonly queue?: string | undefined;
  readonly object?: string | undefined;
  readonly hook?: string | undefined;
  readonly output?: string | undefined;
}

/** `hooklet pause`: without a target it lists; resolves to the exit code, as the others do. */
export async function pause(hook: string | undefined, flags: PauseFlags, io: AskIo): Promise<number> {
  const target = targetOf(hook, flags);
  if (target === undefined) return listPauses(flags, io);
  const { kept } = await io.client.ask('POST', `/pauses/pause?${target.query.toString()}`);
  io.stdout(`${target.text} paused\n`);
  if (kept === false)
    io.stderr('It is not kept: it ends when the operator is started again. Start it with --dead-letters.\n');
  return 0;
}

/** `hooklet resume`. */
export async function resume(hook: string | undefined, flags: PauseFlags, io: AskIo): Promise<number> {
  const target = targetOf(hook, flags);
  if (target === undefined)
    throw new UsageError('give a hook, --queue or --object; hooklet pause lists what is paused');
  const { released } = await io.client.ask('POST', `/pauses/resume?${target.query.toString()}`);
  io.stdout(`${target.text} resumed, ${typeof released === 'number' ? released : 0} released\n`);
  return 0;
}

async function listPauses({ output }: PauseFlags, { client, stdout, stderr, now }: AskIo): Promise<number> {
  const format = listFormat(output);
  const { pauses, note } = await client.ask('GET', '/pauses');
  if (!Array.isArray(pauses)) throw new ControlFailure('the operator gave no list of pauses: is it an older one?');
  const known = pauses.filter(isPause);
  if (format === 'json') stdout(`${JSON.stringify(known, undefined, 2)}\n`);
  else if (known.length === 0) stdout('Nothing is paused.\n');
  else
    stdout(
      textTable(
        ['PAUSED', 'BY', 'SINCE', 'WAITING'],
        known.map((one) => rowOf(one, now())),
      ),
    );
  if (typeof note === 'string') stderr(`${note}\n`);
  return 0;
}

function rowOf({ by, since, held, ...target }: PauseDocument, nowMs: number): readonly string[] {
  const ago = since === undefined ? '-' : `${durationText(Math.max(0, nowMs - Date.parse(since)))} ago`;
  return [textOf(target), by, ago, String(held)];
}

function textOf({ type, hook, queue, kind, namespace, name }: Omit<PauseDocument, 'by' | 'since' | 'held'>): string {
  if (type === 'hook' || type === 'queue') return `${type} ${hook ?? queue ?? ''}`;
  const place = [kind, namespace, name].filter((part) => part !== undefined && part !== '').join('/');
  return `${type} ${place}${hook === undefined ? '' : ` of ${hook}`}`;
}

interface Target {
  readonly query: URLSearchParams;
  readonly text: string;
}

function targetOf(given: string | undefined, { queue, object, hook }: PauseFlags): Target | undefined {
  const kinds = [given, queue, object].filter((one) => one !== undefined);
  if (kinds.length > 1) throw new UsageError('give one of a hook, --queue and --object');
  if (object !== undefined) return objectTarget(object, hook);
  if (hook !== undefined) throw new UsageError('--hook belongs to --object; a hook to pause is given without it');
  if (given !== undefined) return { query: new URLSearchParams({ hook: given }), text: `hook ${given}` };
  return queue === undefined ? undefined : { query: new URLSearchParams({ queue }), text: `queue ${queue}` };
}

/** `name`, `namespace/name` or `kind/namespace/name`; the namespace of a cluster-scoped object is empty. */
function objectTarget(object: string, hook: string | undefined): Target {
  const parts = object.split('/');
  const name = parts.at(-1) ?? '';
  if (name === '' || parts.length > 3)
    throw new UsageError(
      `--object: got ${JSON.stringify(object)}, expected namespace/name or Kind/namespace/name, or name or Kind//name of a cluster-scoped object`,
    );
  const [namespace = '', kind = ''] = parts.slice(0, -1).toReversed();
  const fields = Object.entries({ kind, namespace, name, hook: hook ?? '' }).filter(([, value]) => value !== '');
  return { query: new URLSearchParams(fields), text: `object ${object}${hook === undefined ? '' : ` of ${hook}`}` };
}

function isPause(value: unknown): value is PauseDocument {
  return isObject(value) && typeof value['type'] === 'string' && typeof value['held'] === 'number';
}
