import type { RecordingState } from '../../hook/run-control.ts';
import { objectText, type RunObject, type RunRecord } from '../../hook/run-record.ts';
import { printableLine } from '../../lib/printable.ts';
import { countText } from '../text/count-text.ts';
import { cpuText, memoryText, nextText, outcomeText, tookText } from './run-list.ts';

/** The output of `hooklet runs show`: what is known of one run, a line each. */
export function runText(run: RunRecord, nowMs: number, recording?: RecordingState): string {
  const ended = [...endLines(run, nowMs), ...resultLines(run), ...effectLines(run)];
  const lines = [...headLines(run), ...ended, ...recordingLines(run, recording)];
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, text]) => `${name.padEnd(width)}  ${printableLine(text)}\n`).join('');
}

type Line = readonly [name: string, text: string];

function headLines(run: RunRecord): readonly Line[] {
  const { id, hook, binding, queue, reason, attempt, objects, moreObjects = 0, requestIds = [], request } = run;
  const { queued, started, waitedMs } = run;
  return [
    ['run', id],
    ['hook', binding === '' ? hook : `${hook}, binding ${binding}`],
    ['why', reason],
    ['attempt', String(attempt)],
    ...objects.map((object): Line => ['object', describeObject(object)]),
    ...(moreObjects > 0 ? [['object', `and ${moreObjects} more`] as const] : []),
    ...(request === undefined ? [] : textLine('user', request.user)),
    ...requestIds.map((id): Line => ['request', id]),
    ['queue', queue === '' ? 'none: a caller waits for it' : queue],
    ['queued', `${queued}, waited ${tookText(waitedMs)}`],
    ['started', started],
  ];
}

function endLines(run: RunRecord, nowMs: number): readonly Line[] {
  const { ended, durationMs, maxRssBytes, error } = run;
  const cost = [
    ['took', tookText(durationMs)],
    ['cpu', cpuText(run)],
    ['memory', memoryText(maxRssBytes)],
  ] as const;
  return [
    ...(ended === undefined ? [] : [['ended', ended] as const]),
    ...cost.filter(([, text]) => text !== ''),
    ['outcome', outcomeText(run)],
    ...(error === undefined ? [] : [['error', error] as const]),
    ...verdictLines(run),
    ...textLine('next', nextText(run, nowMs)),
    ...(run.parts ?? []).map((part): Line => {
      const names = part.objects.map(objectText).join(', ');
      const next = nextText(part, nowMs);
      return [
        'part',
        `${names}: ${[part.outcome, part.error, next].filter((text) => text !== undefined && text !== '').join(', ')}`,
      ];
    }),
  ];
}

function verdictLines({ request: { verdict, message } = { user: '' } }: RunRecord): readonly Line[] {
  if (verdict === undefined) return [];
  return [['verdict', message === undefined ? verdict : `${verdict}: ${message}`]];
}

function resultLines({ result = {} }: RunRecord): readonly Line[] {
  const { reason = '', message = '', output = '' } = result;
  return [...textLine('reason', reason), ...textLine('message', message), ...textLine('output', output)];
}

function effectLines({ patches, morePatches = 0, warnings = [], lines, id }: RunRecord): readonly Line[] {
  return [
    ...patches.map(({ operation, target, change }): Line => ['patch', `${operation} ${target}: ${change}`]),
    ...(morePatches > 0 ? [['patch', `and ${morePatches} more`] as const] : []),
    ...warnings.map((warning): Line => ['warning', warning]),
    ['printed', lines === 0 ? 'nothing' : `${countText(lines, 'line')}: hooklet runs logs ${id.slice(0, 8)}`],
  ];
}

function recordingLines({ id, ended }: RunRecord, recording: RecordingState | undefined): readonly Line[] {
  if (recording === undefined || ended === undefined) return [];
  if (recording.type === 'none') return [['recording', `none: ${recording.why}`]];
  const short = id.slice(0, 8);
  return [['recording', `${Math.ceil(recording.bytes / 1024)} KiB: hooklet runs export ${short} -o run-${short}.json`]];
}

function textLine(name: string, text: string): readonly Line[] {
  return text === '' ? [] : [[name, text]];
}

function describeObject(object: RunObject): string {
  const generation = object.generation === undefined ? '' : `, generation ${object.generation}`;
  return `${object.kind} ${objectText(object)} (${object.event}${generation})`;
}
