/*
 * What a Pod that executes runs and the operator say of them, as it is on the wire: runs, epochs and lines; results are in
 * `result-wire.ts`. Both sides import this one. A member that a reader does not know is left alone, so that both sides may
 * be of different versions.
 */

import { parseMembers, type Members, type Parsed } from '../lib/members.ts';
import type { OutcomeCodes } from './binding.ts';
import { present } from './config-reader.ts';
import type { RemoteLine, RemoteLogEntry, RemoteRun } from './remote-run.ts';

/** The header with the epoch, on all that is asked about a run which the Pod has. */
export const EPOCH_HEADER = 'hooklet-epoch';
/** Of the lines in one request. */
export const MAX_OUTPUT_BYTES = 256 * 1024;

const EPOCH = /^[1-9]\d{0,15}$/;

/** Reads the header with the epoch: a whole number from 1, without anything else. */
export function parseEpoch(text: unknown): number | undefined {
  const epoch = typeof text === 'string' && EPOCH.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(epoch) ? epoch : undefined;
}

/** Reads what a claim says of its run. */
export function remoteRunIn(run: Members): RemoteRun {
  return {
    runId: run.text('runId'),
    attempt: run.whole('attempt', 1),
    hook: run.text('hook'),
    hookHash: run.text('hookHash'),
    type: run.word('type', ['process', 'warm']),
    plainExitCodes: run.flag('plainExitCodes'),
    contextBytes: run.whole('contextBytes'),
    ...present({
      timeoutMs: run.maybe('timeoutMs', (key) => run.amount(key)),
      outcome: run.maybe('outcome', (key) => outcomeIn(run.inside(key))),
      backgroundLimitMs: run.maybe('backgroundLimitMs', (key) => run.amount(key)),
      traceparent: run.maybe('traceparent', (key) => run.text(key)),
    }),
  };
}

function outcomeIn(codes: Members): OutcomeCodes {
  const list = (name: keyof OutcomeCodes): readonly number[] | undefined =>
    codes.maybe(name, (key) => codes.wholes(key));
  return present({ success: list('success'), later: list('later'), permanent: list('permanent') });
}

/** A line as it is sent, with its newline. */
export function encodeLine(line: RemoteLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** Reads the lines of one request. */
export function parseLines(body: string): Parsed<readonly RemoteLine[]> {
  const lines: RemoteLine[] = [];
  for (const [index, text] of body.split('\n').entries()) {
    if (text === '') continue;
    const parsed = parseMembers(text, `line ${index + 1}`, lineOf);
    if (parsed.type === 'wrong') return parsed;
    lines.push(parsed.value);
  }
  return { type: 'read', value: lines };
}

function lineOf(line: Members): RemoteLine {
  return {
    stream: line.word('stream', ['stdout', 'stderr']),
    line: line.text('line'),
    ...present({ entry: line.maybe('entry', (key) => entryOf(line.inside(key))) }),
  };
}

function entryOf(entry: Members): RemoteLogEntry {
  return { level: entry.word('level', ['info', 'debug', 'warn', 'error']), fields: entry.object('fields') };
}
