import { UsageError } from '../../errors.ts';
import { durationText } from '../../lib/duration-text.ts';
import { isObject } from '../../lib/json-object.ts';
import type { DeadLetterDocument } from '../../server/outcome-documents.ts';
import type { AskIo } from '../control/client.ts';
import { ControlFailure } from '../control/client.ts';
import { listFormat, type ListFormat } from '../options/output-format.ts';
import { textTable } from '../text/text-table.ts';

/** Which letters, as the flags of a command say. */
export interface DeadFlags {
  readonly hook?: string | undefined;
  readonly reason?: string | undefined;
  readonly object?: string | undefined;
  readonly all?: boolean | undefined;
  readonly output?: string | undefined;
}

/** `hooklet dead list`; resolves to the exit code, as the others do. */
export async function listDead(flags: DeadFlags, io: AskIo): Promise<number> {
  const format = listFormat(flags.output);
  const { letters, note } = await readLetters(io);
  const selected = letters.filter((letter) => isSelected(letter, flags));
  io.stdout(deadList(selected, format, io.now()));
  if (note !== undefined) io.stderr(`${note}\n`);
  return 0;
}

/** `hooklet dead show ID`: all that is known of a letter, as JSON. */
export async function showDead(id: string, io: AskIo): Promise<number> {
  const { letters } = await readLetters(io);
  const found = letters.filter((letter) => letter.id === id);
  if (found.length === 0) throw new UsageError(`no dead letter ${JSON.stringify(id)}; see hooklet dead list`);
  for (const letter of found) io.stdout(`${JSON.stringify(letter, undefined, 2)}\n`);
  return 0;
}

/** `hooklet dead retry`. */
export async function retryDead(ids: readonly string[], flags: DeadFlags, io: AskIo): Promise<number> {
  const sums = { retried: 0, hookGone: 0, objectGone: 0 };
  for (const query of queriesOf(ids, flags)) {
    const answer = await io.client.ask('POST', `/dead/retry?${query.toString()}`);
    sums.retried += countOf(answer['retried']);
    sums.hookGone += countOf(answer['hookGone']);
    sums.objectGone += countOf(answer['objectGone']);
  }
  io.stdout(`${sums.retried} retried\n`);
  if (sums.hookGone > 0) io.stderr(`${sums.hookGone} kept: the hook or its binding is gone\n`);
  if (sums.objectGone > 0) io.stderr(`${sums.objectGone} dropped: the object is gone\n`);
  return 0;
}

/** `hooklet dead drop`. */
export async function dropDead(ids: readonly string[], flags: DeadFlags, io: AskIo): Promise<number> {
  let dropped = 0;
  for (const query of queriesOf(ids, flags)) {
    dropped += countOf((await io.client.ask('POST', `/dead/drop?${query.toString()}`))['dropped']);
  }
  io.stdout(`${dropped} dropped\n`);
  return 0;
}

function deadList(letters: readonly DeadLetterDocument[], format: ListFormat, nowMs: number): string {
  if (format === 'json') return `${JSON.stringify(letters, undefined, 2)}\n`;
  if (letters.length === 0) return 'No dead letters.\n';
  const isWide = format === 'wide';
  const head = ['ID', 'HOOK', 'BINDING', 'ABOUT', 'WHY', 'ATTEMPTS', 'LAST'];
  const more = isWide ? ['FIRST', 'HOOK FILE', 'RUN', 'MESSAGE'] : ['MESSAGE'];
  return textTable(
    [...head, ...more],
    letters.map((letter) => rowOf(letter, { isWide, nowMs })),
  );
}

const MAX_MESSAGE = 60;

function rowOf(
  letter: DeadLetterDocument,
  { isWide, nowMs }: { readonly isWide: boolean; readonly nowMs: number },
): readonly string[] {
  const { id, hook, hookIs, binding, why, reason, attempts, first, last, runId } = letter;
  const message = letter.message.replaceAll(/\s+/g, ' ');
  const brief = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message;
  const shownHook = hookIs === 'gone' && !isWide ? `${hook} (gone)` : hook;
  const about = [id, shownHook, binding === '' ? '-' : binding, aboutText(letter)];
  const when = [reason === undefined ? why : `${why} (${reason})`, String(attempts), age(last, nowMs)];
  return [...about, ...when, ...(isWide ? [age(first, nowMs), hookIs, runId, message] : [brief])];
}

/** `Modified Pod default/web`, `Synchronization of Pod`, `tick 2026-01-01T03:00:00.000Z`. */
function aboutText({ trigger }: DeadLetterDocument): string {
  const text = (key: string): string => (typeof trigger[key] === 'string' ? trigger[key] : '');
  const place = [text('namespace'), text('name')].filter((part) => part !== '').join('/');
  switch (trigger['type']) {
    case 'event':
      return `${text('watchEvent')} ${text('kind')} ${place}`;
    case 'reconcile':
      return `${text('kind')} ${place}`;
    case 'synchronization':
      return `Synchronization of ${text('kind')}`;
    case 'schedule':
      return `tick ${text('scheduledAt')}`;
    default:
      return text('type');
  }
}

function age(time: string, nowMs: number): string {
  return `${durationText(Math.max(0, nowMs - Date.parse(time)))} ago`;
}

/** A query for each id, or one for the filter. */
function queriesOf(ids: readonly string[], flags: DeadFlags): readonly URLSearchParams[] {
  const { hook, reason, object, all = false } = flags;
  const given = Object.entries({ hook, reason, object }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  if (ids.length > 0) {
    if (given.length > 0 || all) throw new UsageError('give ids, or a filter, not both');
    return ids.map((id) => new URLSearchParams({ id }));
  }
  if (given.length === 0 && !all) throw new UsageError('give an id, --hook, --reason, --object, or --all');
  const query = new URLSearchParams(given);
  if (all) query.set('all', 'true');
  return [query];
}

function isSelected({ hook, why, reason, trigger }: DeadLetterDocument, flags: DeadFlags): boolean {
  const { namespace, name } = trigger;
  const place = namespace === '' ? name : `${String(namespace)}/${String(name)}`;
  const isHook = flags.hook === undefined || flags.hook === hook;
  const isReason = flags.reason === undefined || flags.reason === why || flags.reason === reason;
  return isHook && isReason && (flags.object === undefined || flags.object === place);
}

async function readLetters({ client }: AskIo): Promise<{
  readonly letters: readonly DeadLetterDocument[];
  readonly note: string | undefined;
}> {
  const { letters, note } = await client.ask('GET', '/dead');
  if (!Array.isArray(letters))
    throw new ControlFailure('the operator gave no list of dead letters: is it an older one?');
  return { letters: letters.filter(isLetter), note: typeof note === 'string' ? note : undefined };
}

function isLetter(value: unknown): value is DeadLetterDocument {
  return isObject(value) && typeof value['id'] === 'string' && isObject(value['trigger']);
}

function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
