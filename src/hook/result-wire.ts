/*
 * A result on the wire: a line of JSON, and behind it the bytes of the files, so that nothing of them is escaped or read
 * as JSON. In the line `files` has their lengths, in the order of `REMOTE_FILES`; where it has none, nothing follows.
 */

import { parseMembers, type Members, type Parsed } from '../lib/members.ts';
import { shown } from '../lib/shown.ts';
import { present } from './config-reader.ts';
import {
  REMOTE_FILES,
  MAX_RESULT_BYTES,
  MAX_RESULT_HEAD_BYTES,
  type RemoteCost,
  type RemoteFiles,
  type RemoteResult,
} from './remote-run.ts';

/** Of a result: its line with the newline, and its files. */
export const MAX_RESULT_BODY_BYTES = MAX_RESULT_HEAD_BYTES + 1 + MAX_RESULT_BYTES;

const NEWLINE = 10;
const MIB = 1024 * 1024;

/** A body that is too large, or is no result, with the status of the answer. */
export type ResultProblem = { readonly type: 'wrong'; readonly status: 400 | 413; readonly problem: string };

/** A result as the body of a request, in pieces. A message that is too long for its line is cut. */
export function encodeResult(result: RemoteResult): readonly Uint8Array[] {
  const files = 'files' in result && result.files !== undefined ? bytesOf(result.files) : undefined;
  const lengths = files?.map(({ byteLength }) => byteLength);
  const { files: _, ...rest } = { files: undefined, ...result };
  return [Buffer.from(headOf({ ...rest, ...(lengths && { files: lengths }) })), ...(files ?? [])];
}

function bytesOf(files: RemoteFiles): readonly Uint8Array[] {
  return REMOTE_FILES.map((name) => Buffer.from(files[name]));
}

function headOf(head: object): string {
  const line = `${JSON.stringify(head)}\n`;
  const over = Buffer.byteLength(line) - MAX_RESULT_HEAD_BYTES;
  if (over <= 0 || !('message' in head) || typeof head.message !== 'string') return line;
  // A character may take many bytes of JSON, so what is left over is halved until the rest fits.
  const { message } = head;
  for (let kept = message.length - 1; kept > 0; kept = Math.floor(kept * KEPT_SHARE)) {
    const cut = `${message.slice(0, kept).toWellFormed()}… (cut)`;
    const shorter = `${JSON.stringify({ ...head, message: cut })}\n`;
    if (Buffer.byteLength(shorter) <= MAX_RESULT_HEAD_BYTES) return shorter;
  }
  return `${JSON.stringify({ ...head, message: '(cut)' })}\n`;
}

const KEPT_SHARE = 0.8;

/** Why the files of a result are too large together, and what to do; undefined when they are not. */
export function explainResultSize(bytes: number): string | undefined {
  if (bytes <= MAX_RESULT_BYTES) return undefined;
  const limit = `${MAX_RESULT_BYTES} (${MAX_RESULT_BYTES / MIB} MiB)`;
  return `the files of the hook have ${bytes} bytes together, at most ${limit} are taken of a run in another Pod; write less in one run`;
}

/** How many bytes the files of a result have together. */
export function resultBytes(files: RemoteFiles): number {
  return REMOTE_FILES.reduce((sum, name) => sum + Buffer.byteLength(files[name]), 0);
}

/** Reads the body of a request. */
export function parseResult(body: Buffer): Extract<Parsed<RemoteResult>, { readonly type: 'read' }> | ResultProblem {
  const end = body.subarray(0, MAX_RESULT_HEAD_BYTES + 1).indexOf(NEWLINE);
  if (end === -1) {
    const start = shown(body.toString('utf8', 0, SHOWN_BYTES));
    return wrong(`the result: got ${start}, expected a line of JSON of at most ${MAX_RESULT_HEAD_BYTES} bytes`);
  }
  const head = parseMembers(body.toString('utf8', 0, end), 'the line of the result', headIn);
  if (head.type === 'wrong') return wrong(head.problem);
  const { lengths, result } = head.value;
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const tooLarge = explainResultSize(total);
  if (tooLarge !== undefined) return { type: 'wrong', status: 413, problem: tooLarge };
  const files = body.subarray(end + 1);
  if (files.length !== total) {
    return wrong(`the files of the result: got ${files.length} bytes, expected the ${total} that its line says`);
  }
  return { type: 'read', value: lengths.length === 0 ? result : withFiles(result, filesIn(files, lengths)) };
}

const SHOWN_BYTES = 100;

function wrong(problem: string): ResultProblem {
  return { type: 'wrong', status: 400, problem };
}

interface Head {
  /** Without the texts of its files. */
  readonly result: RemoteResult;
  /** Empty where it has no files. */
  readonly lengths: readonly number[];
}

function headIn(head: Members): Head {
  const type = head.word('type', ['unreadable', 'exited', 'failed', 'files']);
  const hasFiles = type === 'exited' || type === 'files' || (type === 'failed' && head.has('files'));
  return { result: resultIn(type, head), lengths: hasFiles ? head.wholes('files', REMOTE_FILES.length) : [] };
}

const NO_FILES: RemoteFiles = { patch: '', metrics: '', admission: '', conversion: '', result: '' };

function resultIn(type: RemoteResult['type'], head: Members): RemoteResult {
  switch (type) {
    case 'exited':
      return { type, cost: costIn(head.inside('cost')), isLater: head.flag('isLater'), files: NO_FILES };
    case 'failed':
      return failedIn(head);
    case 'files':
      return { type, files: NO_FILES };
    case 'unreadable':
      return { type, message: head.text('message') };
  }
}

function failedIn(head: Members): RemoteResult {
  return {
    type: 'failed',
    by: head.word('by', ['hook', 'output', 'environment']),
    message: head.text('message'),
    timedOut: head.flag('timedOut'),
    isPermanent: head.flag('isPermanent'),
    isCutOff: head.flag('isCutOff'),
    ...present({
      exitCode: head.maybe('exitCode', (key) => head.whole(key)),
      signal: head.maybe('signal', (key) => head.text(key)),
      cost: head.maybe('cost', (key) => costIn(head.inside(key))),
    }),
  };
}

function costIn(cost: Members): RemoteCost {
  return {
    durationMs: cost.amount('durationMs'),
    ...present({
      userCpuMs: cost.maybe('userCpuMs', (key) => cost.amount(key)),
      systemCpuMs: cost.maybe('systemCpuMs', (key) => cost.amount(key)),
      maxRssBytes: cost.maybe('maxRssBytes', (key) => cost.amount(key)),
    }),
  };
}

function filesIn(bytes: Buffer, lengths: readonly number[]): RemoteFiles {
  let at = 0;
  const [patch = '', metrics = '', admission = '', conversion = '', result = ''] = lengths.map((length) =>
    bytes.toString('utf8', at, (at += length)),
  );
  return { patch, metrics, admission, conversion, result };
}

function withFiles(result: RemoteResult, files: RemoteFiles): RemoteResult {
  return result.type === 'unreadable' ? result : { ...result, files };
}
