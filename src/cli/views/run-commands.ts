import { UsageError } from '../../errors.ts';
import type { RecordingState } from '../../hook/run-control.ts';
import { readRunLines, readRunRecord } from '../../hook/run-record-reader.ts';
import type { RunRecord } from '../../hook/run-record.ts';
import { printableLine } from '../../lib/printable.ts';
import { isObject } from '../../lib/json-object.ts';
import { ControlFailure, type ControlIo } from '../control/client.ts';
import { oneOf } from '../options/output-format.ts';
import { runTable } from './run-list.ts';
import { runText } from './run-text.ts';

export interface RunListFlags {
  readonly hook?: string | undefined;
  readonly object?: string | undefined;
  readonly failed?: boolean | undefined;
  readonly limit?: string | undefined;
  readonly output?: string | undefined;
}

/** `hooklet runs list`; resolves to the exit code, as the others do. */
export async function listRuns({ output, ...flags }: RunListFlags, io: ControlIo): Promise<number> {
  const format = oneOf(['text', 'wide', 'json'], output);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(flags)) if (value !== undefined) query.set(name, String(value));
  const answer = await io.client.ask('GET', `/runs?${query.toString()}`);
  const runs = recordsOf(answer['runs']);
  if (format === 'json') io.stdout(`${JSON.stringify(runs, undefined, 2)}\n`);
  else io.stdout(runTable(runs, io.now(), format === 'wide'));
  if (answer['more'] === true) io.stderr('There are more: --limit, --hook and --object choose.\n');
  return 0;
}

/** `hooklet runs show`. */
export async function showRun(id: string, output: string | undefined, io: ControlIo): Promise<number> {
  const format = oneOf(['text', 'json'], output);
  const { run, recording } = await io.client.ask('GET', pathOf(id));
  const record = readRunRecord(run);
  if (record === undefined) throw new ControlFailure('the operator gave no run: is it an older one?');
  const text = (): string => runText(record, io.now(), recordingOf(recording));
  io.stdout(format === 'json' ? `${JSON.stringify(record, undefined, 2)}\n` : text());
  return 0;
}

/** Undefined where runs are not recorded. */
function recordingOf(value: unknown): RecordingState | undefined {
  if (!isObject(value)) return undefined;
  const { type, bytes, why } = value;
  if (type === 'kept' && typeof bytes === 'number') return { type, bytes };
  return type === 'none' && typeof why === 'string' ? { type, why } : undefined;
}

/** `hooklet runs logs`; with `isFollowing` until the run ends, or the person ends the command. */
export async function printLogs(id: string, isFollowing: boolean, io: ControlIo): Promise<number> {
  for (let [after, run, isFirst] = [0, id, true]; ; isFirst = false) {
    const query = `after=${after}${isFollowing && !isFirst ? '&follow' : ''}`;
    const log = await nextLines(`${pathOf(run)}/logs?${query}`, io);
    if (log === undefined) return 0;
    if (log.from > after) io.stderr(`${log.from - after} lines before these are not kept.\n`);
    for (const { line } of log.lines) io.stdout(`${printableLine(line)}\n`);
    if (log.ended || !isFollowing) return 0;
    after = log.from + log.lines.length;
    // Another run may begin with the same letters meanwhile.
    run = log.id;
  }
}

/** The runs of an answer; what is none is left out. */
export function recordsOf(value: unknown): readonly RunRecord[] {
  if (!Array.isArray(value)) throw new ControlFailure('the operator gave no list of runs: is it an older one?');
  return value.map(readRunRecord).filter((one) => one !== undefined);
}

/** Undefined when the person has ended the command. */
async function nextLines(path: string, { client, signal }: ControlIo) {
  try {
    const { id, from, lines, ended } = await client.ask('GET', path, signal);
    if (typeof id !== 'string' || typeof from !== 'number') throw new ControlFailure('the operator gave no lines');
    return { id, from, lines: readRunLines(lines), ended: ended === true };
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function pathOf(id: string): string {
  if (id === '') throw new UsageError('a run has an id; see hooklet runs list');
  return `/runs/${encodeURIComponent(id)}`;
}
