import type { RunRecord } from '../../hook/run-record.ts';
import { durationText } from '../../lib/duration-text.ts';
import { textTable } from '../text/text-table.ts';

const HEAD = ['RUN', 'HOOK', 'BINDING', 'WHY', 'ATTEMPT', 'OUTCOME', 'STARTED', 'TOOK'];
const WIDE = [...HEAD, 'QUEUE', 'WAITED', 'CPU', 'MEMORY', 'PATCHES', 'NEXT'];
/** Long enough for a name that a person can type. */
const ID_CHARS = 8;
const MIB = 1024 * 1024;

/** The table of `hooklet runs list`. */
export function runTable(runs: readonly RunRecord[], nowMs: number, isWide: boolean): string {
  if (runs.length === 0) return 'No such run is remembered.\n';
  const rows = runs.map((run) => [...rowOf(run, nowMs, isWide), ...(isWide ? wideCells(run, nowMs) : [])]);
  return textTable(isWide ? WIDE : HEAD, rows);
}

/** How a run ended: `failed (exit code 3)`, `later`, `running`; of a request `allowed` or `denied`. */
export function outcomeText(run: RunRecord): string {
  if (run.outcome === 'succeeded') return run.request?.verdict ?? run.outcome;
  return run.outcome === 'failed' ? failureText(run) : run.outcome;
}

function failureText({ failedBy, exitCode, signal, timedOut, permanent }: RunRecord): string {
  const how = [
    ...(timedOut === true ? ['time limit'] : []),
    ...(signal === undefined ? [] : [signal]),
    ...(exitCode === undefined ? [] : [`exit code ${exitCode}`]),
    ...(permanent === true ? ['permanent'] : []),
  ];
  return `failed (${how.length === 0 ? (failedBy ?? 'hook') : how.join(', ')})`;
}

/** What happens after a run: `again in 5s`, `dead (permanent)`; empty where nothing does. */
export function nextText({ next }: Pick<RunRecord, 'next'>, nowMs: number): string {
  if (next === undefined) return '';
  const { type, again, why } = next;
  if (again !== undefined) return againText(again, nowMs);
  if (type === 'drop' || type === 'dead') return why === undefined ? type : `${type} (${why})`;
  return type === 'keep' ? 'run again by the next operator' : '';
}

/** `again in 5s`, or when it was due. */
export function againText(again: string, nowMs: number): string {
  const inMs = Date.parse(again) - nowMs;
  return inMs > 0 ? `again in ${durationText(inMs)}` : `was due ${durationText(-inMs)} ago`;
}

/** `5s ago`. */
export function agoText(time: string, nowMs: number): string {
  return `${durationText(Math.max(0, nowMs - Date.parse(time)))} ago`;
}

/** A duration with milliseconds where it is short: `38ms`, `1.5s`, `2m10s`. */
export function tookText(durationMs: number | undefined): string {
  if (durationMs === undefined) return '';
  if (durationMs < 1000) return `${Math.round(durationMs)}ms`;
  return durationMs < 10_000 ? `${(durationMs / 1000).toFixed(1)}s` : durationText(durationMs);
}

/** `4.2 MiB`. */
export function memoryText(bytes: number | undefined): string {
  return bytes === undefined ? '' : `${(bytes / MIB).toFixed(1)} MiB`;
}

/** The CPU time of a run. */
export function cpuText({ userCpuMs, systemCpuMs }: RunRecord): string {
  return userCpuMs === undefined && systemCpuMs === undefined ? '' : tookText((userCpuMs ?? 0) + (systemCpuMs ?? 0));
}

export function shortId(id: string): string {
  return id.slice(0, ID_CHARS);
}

function rowOf(run: RunRecord, nowMs: number, isWide: boolean): readonly string[] {
  const { id, hook, binding, reason, attempt, started, ended } = run;
  const tookMs = ended === undefined ? nowMs - Date.parse(started) : run.durationMs;
  return [
    isWide ? id : shortId(id),
    hook,
    binding,
    reason,
    String(attempt),
    outcomeText(run),
    agoText(started, nowMs),
    tookText(tookMs),
  ];
}

function wideCells(run: RunRecord, nowMs: number): readonly string[] {
  const patches = run.patches.length + (run.morePatches ?? 0);
  return [
    run.queue,
    tookText(run.waitedMs),
    cpuText(run),
    memoryText(run.maxRssBytes),
    String(patches),
    nextText(run, nowMs),
  ];
}
