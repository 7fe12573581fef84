/*
 * What a worker and the operator say to each other, as it is on the wire: hellos, terms, beats, runs to end and runs that
 * are handed out; paths and queries are in `work-path.ts`, lines in `remote-wire.ts`, results in `result-wire.ts`. Both
 * sides import this one. Runs are a line of JSON, and behind it the bytes of their contexts, so that nothing of those is
 * escaped or read as JSON. A member that a reader does not know is left alone, so that both sides may be of different
 * versions.
 */

import { parseMembers, type Members, type Parsed } from '../lib/members.ts';
import { shown, shownText } from '../lib/shown.ts';
import { present } from './config-reader.ts';
import { isPoolName, POOL_TEXT } from './executor-rule.ts';
import { remoteRunIn } from './remote-wire.ts';
import {
  MAX_CAPACITY,
  type HandedRun,
  type HeldRun,
  type RunToEnd,
  type WorkerHello,
  type WorkerTerms,
} from './work-desk.ts';
import { isPathName, NAME_TEXT } from './work-path.ts';

/** Of a beat with as many runs as a worker may have. */
export const MAX_BEAT_BYTES = 64 * 1024;
export const MAX_HELLO_BYTES = 16 * 1024;
/** Of the runs to end, as many as a worker may have. */
export const MAX_ENDS_BYTES = 1024 * 1024;
/** Of the contexts in one answer to a claim: those that are beyond it are to be asked for. */
export const MAX_INLINE_BYTES = 4 * 1024 * 1024;
/** Of the answer to a claim: its line, and the contexts. */
export const MAX_RUNS_BYTES = 8 * 1024 * 1024;

const MAX_TEXT = 200;
const MAX_WHY = 500;
const MAX_TERM_MS = 3_600_000;
const NEWLINE = 10;
const SHOWN_BYTES = 100;

export function encodeHello(hello: WorkerHello): string {
  return `${JSON.stringify(hello)}\n`;
}

export function parseHello(text: string): Parsed<WorkerHello> {
  return parseMembers(text, 'the hello', (hello) => ({
    pool: hello.textThat('pool', isPoolName, POOL_TEXT),
    hooks: hello.textThat('hooks', isShort, SHORT_TEXT),
    capacity: hello.whole('capacity', 1, MAX_CAPACITY),
    version: hello.textThat('version', isShort, SHORT_TEXT),
  }));
}

const SHORT_TEXT = `a text of 1 to ${MAX_TEXT} characters`;

function isShort(text: string): boolean {
  return text !== '' && text.length <= MAX_TEXT;
}

export function encodeTerms(terms: WorkerTerms): string {
  return `${JSON.stringify(terms)}\n`;
}

export function parseTerms(text: string): Parsed<WorkerTerms> {
  const parsed = parseMembers(text, 'the terms', (terms) => ({
    worker: terms.textThat('worker', isPathName, NAME_TEXT),
    beatMs: terms.whole('beatMs', 1, MAX_TERM_MS),
    silenceMs: terms.whole('silenceMs', 1, MAX_TERM_MS),
  }));
  if (parsed.type === 'wrong' || parsed.value.beatMs < parsed.value.silenceMs) return parsed;
  const { beatMs, silenceMs } = parsed.value;
  return { type: 'wrong', problem: `the terms: beatMs: got ${beatMs}, expected less than silenceMs, ${silenceMs}` };
}

/** The runs that a worker has, as the body of a beat. */
export function encodeBeat(held: readonly HeldRun[]): string {
  return `${JSON.stringify({ held: held.map(({ runId, epoch }) => ({ runId, epoch })) })}\n`;
}

export function parseBeat(text: string): Parsed<readonly HeldRun[]> {
  return parseMembers(text, 'the beat', (beat) => beat.each('held', heldIn, MAX_CAPACITY));
}

/** Runs to end as the body of an answer; why is cut after 500 characters. */
export function encodeEnds(ends: readonly RunToEnd[]): string {
  const end = ends.map(({ runId, epoch, why, isOver }) => ({ runId, epoch, why: shownText(why, MAX_WHY), isOver }));
  return `${JSON.stringify({ end })}\n`;
}

export function parseEnds(text: string): Parsed<readonly RunToEnd[]> {
  return parseMembers(text, 'the runs to end', (answer) =>
    answer.each('end', (one) => ({ ...heldIn(one), why: one.text('why'), isOver: one.flag('isOver') }), MAX_CAPACITY),
  );
}

function heldIn(held: Members): HeldRun {
  return { runId: held.textThat('runId', isPathName, NAME_TEXT), epoch: held.whole('epoch', 1) };
}

/** Runs that are handed out, as the body of an answer, in pieces; the contexts are not copied. */
export function encodeRuns(runs: readonly HandedRun[]): readonly Uint8Array[] {
  let inlineBytes = 0;
  const pieces: Uint8Array[] = [];
  const heads = runs.map(({ run, epoch, env, contexts }) => {
    const isInline = contexts !== undefined && inlineBytes + run.contextBytes <= MAX_INLINE_BYTES;
    if (isInline) {
      inlineBytes += run.contextBytes;
      pieces.push(...contexts);
    }
    return { ...run, epoch, ...(env && { env }), isInline };
  });
  return [Buffer.from(`${JSON.stringify({ runs: heads })}\n`), ...pieces];
}

/** Reads the body of an answer; the contexts are views of it. */
export function parseRuns(body: Buffer): Parsed<readonly HandedRun[]> {
  const end = body.indexOf(NEWLINE);
  if (end === -1) {
    const start = shown(body.toString('utf8', 0, SHOWN_BYTES));
    return { type: 'wrong', problem: `the runs: got ${start}, expected a line of JSON` };
  }
  const head = parseMembers(body.toString('utf8', 0, end), 'the line of the runs', (line) =>
    line.each('runs', handedIn, MAX_CAPACITY),
  );
  if (head.type === 'wrong') return head;
  let at = end + 1;
  const runs = head.value.map(({ isInline, ...handed }): HandedRun => {
    if (!isInline) return handed;
    return { ...handed, contexts: [body.subarray(at, (at += handed.run.contextBytes))] };
  });
  if (at === body.length) return { type: 'read', value: runs };
  const bytes = `got ${body.length - end - 1} bytes, expected ${at - end - 1}`;
  return { type: 'wrong', problem: `the contexts of the runs: ${bytes}` };
}

function handedIn(handed: Members): Omit<HandedRun, 'contexts'> & { readonly isInline: boolean } {
  const run = remoteRunIn(handed);
  return {
    run: { ...run, runId: handed.textThat('runId', isPathName, NAME_TEXT) },
    epoch: handed.whole('epoch', 1),
    isInline: handed.flag('isInline'),
    ...present({ env: handed.maybe('env', (key) => handed.texts(key)) }),
  };
}
