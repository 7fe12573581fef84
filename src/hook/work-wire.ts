/*
 * What a worker and the operator say to each other, as it is on the wire: paths, hellos, terms, beats and runs that are
 * handed out; lines are in `remote-wire.ts`, results in `result-wire.ts`. Both sides import this one. Runs are a line of
 * JSON, and behind it the bytes of their contexts, so that nothing of those is escaped or read as JSON.
 */

import { parseMembers, type Members, type Parsed } from '../lib/members.ts';
import { shown } from '../lib/shown.ts';
import { present } from './config-reader.ts';
import { remoteRunIn } from './remote-wire.ts';
import {
  MAX_CAPACITY,
  type HandedRun,
  type HeldRun,
  type RunToEnd,
  type WorkerHello,
  type WorkerTerms,
} from './work-desk.ts';

const WORKERS = '/v1/workers';
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const PATH = /^\/v1\/workers\/([\w-]{1,64})(?:\/(?:(beat|ends|claim)|runs\/([\w-]{1,64})\/(contexts|output|result)))?$/;
const OF_WORKER = ['beat', 'ends', 'claim'] as const;
const OF_RUN = ['contexts', 'output', 'result'] as const;
/** How long a request for runs, or for those to end, is held at most. */
export const MAX_WAIT_S = 30;
/** Of a beat with as many runs as a worker may have. */
export const MAX_BEAT_BYTES = 64 * 1024;
export const MAX_HELLO_BYTES = 16 * 1024;

/** What is asked. */
export type WorkPath =
  | { readonly type: 'hello' }
  | { readonly type: 'leave'; readonly worker: string }
  | { readonly type: (typeof OF_WORKER)[number]; readonly worker: string }
  | { readonly type: (typeof OF_RUN)[number]; readonly worker: string; readonly runId: string };

/** The path of a request, without its query. */
export function workPath(path: WorkPath): string {
  switch (path.type) {
    case 'hello':
      return WORKERS;
    case 'leave':
      return `${WORKERS}/${path.worker}`;
    case 'beat':
    case 'ends':
    case 'claim':
      return `${WORKERS}/${path.worker}/${path.type}`;
    case 'contexts':
    case 'output':
    case 'result':
      return `${WORKERS}/${path.worker}/runs/${path.runId}/${path.type}`;
  }
}

/** What a path asks; undefined for a path of no request. */
export function parseWorkPath(path: string): WorkPath | undefined {
  if (path === WORKERS) return { type: 'hello' };
  const [, worker = '', ofWorker, runId = '', ofRun] = PATH.exec(path) ?? [];
  if (worker === '') return undefined;
  const own = OF_WORKER.find((one) => one === ofWorker);
  if (own !== undefined) return { type: own, worker };
  const what = OF_RUN.find((one) => one === ofRun);
  return what === undefined ? { type: 'leave', worker } : { type: what, worker, runId };
}

export function encodeHello(hello: WorkerHello): string {
  return `${JSON.stringify(hello)}\n`;
}

export function parseHello(text: string): Parsed<WorkerHello> {
  return bounded(
    parseMembers(text, 'the hello', (hello) => ({
      pool: hello.text('pool'),
      hooks: hello.text('hooks'),
      capacity: hello.whole('capacity', 1),
      version: hello.text('version'),
    })),
    ({ capacity }) =>
      capacity <= MAX_CAPACITY || `the hello: capacity: got ${capacity}, expected at most ${MAX_CAPACITY}`,
  );
}

export function encodeTerms(terms: WorkerTerms): string {
  return `${JSON.stringify(terms)}\n`;
}

export function parseTerms(text: string): Parsed<WorkerTerms> {
  return bounded(
    parseMembers(text, 'the terms', (terms) => ({
      worker: terms.text('worker'),
      beatMs: terms.whole('beatMs', 1),
      silenceMs: terms.whole('silenceMs', 1),
    })),
    ({ worker }) => NAME.test(worker) || `the terms: worker: got ${shown(worker)}, expected a name`,
  );
}

/** The runs that a worker has, as the body of a beat. */
export function encodeBeat(held: readonly HeldRun[]): string {
  return `${JSON.stringify({ held: held.map(({ runId, epoch }) => ({ runId, epoch })) })}\n`;
}

export function parseBeat(text: string): Parsed<readonly HeldRun[]> {
  return parseMembers(text, 'the beat', (beat) => beat.each('held', heldIn));
}

export function encodeEnds(ends: readonly RunToEnd[]): string {
  return `${JSON.stringify({ end: ends })}\n`;
}

export function parseEnds(text: string): Parsed<readonly RunToEnd[]> {
  return parseMembers(text, 'the runs to end', (answer) =>
    answer.each('end', (one) => ({ ...heldIn(one), why: one.text('why'), isOver: one.flag('isOver') })),
  );
}

function heldIn(held: Members): HeldRun {
  return { runId: held.text('runId'), epoch: held.whole('epoch', 1) };
}

/** Runs that are handed out, as the body of an answer, in pieces. */
export function encodeRuns(runs: readonly HandedRun[]): readonly Uint8Array[] {
  const heads = runs.map(({ run, epoch, env, contexts }) => ({
    ...run,
    epoch,
    ...(env && { env }),
    isInline: contexts !== undefined,
  }));
  const head = Buffer.from(`${JSON.stringify({ runs: heads })}\n`);
  return [head, ...runs.flatMap(({ contexts = [] }) => contexts)];
}

const NEWLINE = 10;
const SHOWN_BYTES = 100;

/** Reads the body of an answer. */
export function parseRuns(body: Buffer): Parsed<readonly HandedRun[]> {
  const end = body.indexOf(NEWLINE);
  if (end === -1) {
    return {
      type: 'wrong',
      problem: `the runs: got ${shown(body.toString('utf8', 0, SHOWN_BYTES))}, expected a line of JSON`,
    };
  }
  const head = parseMembers(body.toString('utf8', 0, end), 'the line of the runs', (line) =>
    line.each('runs', handedIn),
  );
  if (head.type === 'wrong') return head;
  let at = end + 1;
  const runs = head.value.map(({ isInline, ...handed }): HandedRun => {
    if (!isInline) return handed;
    return { ...handed, contexts: [body.subarray(at, (at += handed.run.contextBytes))] };
  });
  if (at === body.length) return { type: 'read', value: runs };
  return {
    type: 'wrong',
    problem: `the contexts of the runs: got ${body.length - end - 1} bytes, expected ${at - end - 1}`,
  };
}

function handedIn(handed: Members): Omit<HandedRun, 'contexts'> & { readonly isInline: boolean } {
  return {
    run: remoteRunIn(handed),
    epoch: handed.whole('epoch', 1),
    isInline: handed.flag('isInline'),
    ...present({ env: handed.maybe('env', (key) => envIn(handed.object(key))) }),
  };
}

function envIn(env: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

function bounded<T>(parsed: Parsed<T>, check: (value: T) => true | string): Parsed<T> {
  if (parsed.type === 'wrong') return parsed;
  const checked = check(parsed.value);
  return checked === true ? parsed : { type: 'wrong', problem: checked };
}

/** Reads a number of a query: absent it is 0, and more than `most` is `most`. */
export function parseQueryNumber(query: URLSearchParams, name: string, most: number): Parsed<number> {
  const text = query.get(name) ?? '0';
  if (/^\d{1,6}$/.test(text)) return { type: 'read', value: Math.min(Number(text), most) };
  return { type: 'wrong', problem: `the query: ${name}: got ${shown(text)}, expected a whole number` };
}
