import { isJsonObject, type JsonValue } from '@hooklet/sandbox';
import { callText, writeText } from '../expect/expected-writes.ts';
import { runText } from '../expect/expected-runs.ts';
import { shownText } from '../../lib/shown.ts';
import type { LogLine, Moment, RunEnded, RunStarted, Write } from '../timeline.ts';

const MAX_LINES = 200;
const FIRST = 40;
const MAX_LINE = 240;

/**
 * What happened, in lines for people: actions, runs, writes, calls, what was disturbed, and warnings of the log, each with
 * the virtual time. Of a long timeline the beginning and the end.
 */
export function timelineLines(timeline: readonly Moment[]): readonly string[] {
  const lines = timeline.flatMap((moment) => {
    const text = textOf(moment);
    return text === undefined ? [] : [shownText(`${timeText(moment.atMs)}  ${oneLine(text)}`, MAX_LINE)];
  });
  if (lines.length <= MAX_LINES) return lines;
  const left = lines.length - MAX_LINES;
  return [...lines.slice(0, FIRST), `… ${left} more …`, ...lines.slice(FIRST + left)];
}

/** The lines that a hook printed at last among these moments: of the run that failed, else of the last one. */
export function lastOutput(
  moments: readonly Moment[],
): { readonly hook: string; readonly lines: readonly string[] } | undefined {
  const ended = moments.filter((moment) => moment.type === 'run-ended' && moment.output.length > 0);
  const run = ended.findLast((moment) => moment.type === 'run-ended' && moment.outcome === 'failed') ?? ended.at(-1);
  return run?.type === 'run-ended' ? { hook: run.hook, lines: run.output } : undefined;
}

function textOf(moment: Moment): string | undefined {
  switch (moment.type) {
    case 'action':
      return `▶ ${moment.text}`;
    case 'run-started':
      return `run   ${startText(moment)}`;
    case 'run-ended':
      return endText(moment);
    case 'write':
      return writeLine(moment);
    case 'call':
      return `call  ${callText(moment)}`;
    case 'disturbed':
      return `✗ ${moment.text}`;
    case 'log':
      return logLine(moment);
    case 'delivered':
    case 'request':
      return undefined;
  }
}

function startText(started: RunStarted): string {
  return runText({ hook: started.hook, started }).replace(/: not ended$/, '');
}

function endText({ hook, outcome, exitCode = 0, next, message }: RunEnded): string {
  const exit = exitCode === 0 ? '' : `, exit ${exitCode}`;
  return `ended ${hook}: ${outcome}${exit}, ${next}${message === undefined ? '' : `: ${message}`}`;
}

/** Leaves out what hooklet writes for itself. */
function writeLine(write: Write): string | undefined {
  return ['Lease', 'Event'].includes(write.object.kind) ? undefined : `write ${writeText(write)}`;
}

/** Of the log only what went wrong. */
function logLine({ level, message, fields }: LogLine): string | undefined {
  if (!['warn', 'error', 'fatal'].includes(level.toLowerCase())) return undefined;
  const error = errorOf(fields['err'] ?? fields['problem'] ?? fields['error']);
  return `${level.toLowerCase().padEnd(5)} ${message}${error}`;
}

function errorOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (isJsonObject(value)) return errorOf(value['message']);
  return `: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
}

/** `01-31 12:00:00`, with milliseconds where there are any. */
function timeText(atMs: number): string {
  const iso = new Date(atMs).toISOString();
  const ms = iso.slice(19, 23);
  return `${iso.slice(5, 10)} ${iso.slice(11, 19)}${ms === '.000' ? '    ' : ms}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' | ');
}
