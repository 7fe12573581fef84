/*
 * What a worker asks of the operator: the paths and queries of its requests, as both sides know them. Names of workers and
 * ids of runs stand in paths as they are, so none may have a character that means something there.
 */

import type { Parsed } from '../lib/members.ts';
import { shown } from '../lib/shown.ts';
import { MAX_CAPACITY, type HeldRun } from './work-desk.ts';

/** What is asked. */
export type WorkPath =
  | { readonly type: 'hello' }
  | { readonly type: 'leave' | OfWorker; readonly worker: string }
  | { readonly type: OfRun; readonly worker: string; readonly runId: HeldRun['runId'] };

type OfWorker = (typeof OF_WORKER)[number];
type OfRun = (typeof OF_RUN)[number];

/** What all the paths begin with. */
export const WORKERS_PATH = '/v1/workers';
/** How long a request for runs, or for those to end, is held at most. */
export const MAX_WAIT_S = 30;
export const NAME_TEXT = '1 to 64 letters, digits, "-" and "_"';

const NAME = /^[\w-]{1,64}$/;
const PATH = /^\/v1\/workers\/([\w-]{1,64})(?:\/(?:(beat|ends|claim)|runs\/([\w-]{1,64})\/(contexts|output|result)))?$/;
const OF_WORKER = ['beat', 'ends', 'claim'] as const;
const OF_RUN = ['contexts', 'output', 'result'] as const;

/** Whether a text can be the name of a worker, or the id of a run. */
export function isPathName(text: string): boolean {
  return NAME.test(text);
}

/** The path of a request, without its query. */
export function workPath(path: WorkPath): string {
  switch (path.type) {
    case 'hello':
      return WORKERS_PATH;
    case 'leave':
      return `${WORKERS_PATH}/${path.worker}`;
    case 'beat':
    case 'ends':
    case 'claim':
      return `${WORKERS_PATH}/${path.worker}/${path.type}`;
    case 'contexts':
    case 'output':
    case 'result':
      return `${WORKERS_PATH}/${path.worker}/runs/${path.runId}/${path.type}`;
  }
}

/** What a path asks; undefined for a path of no request. */
export function parseWorkPath(path: string): WorkPath | undefined {
  if (path === WORKERS_PATH) return { type: 'hello' };
  const [, worker = '', ofWorker, runId = '', ofRun] = PATH.exec(path) ?? [];
  if (worker === '') return undefined;
  const own = OF_WORKER.find((one) => one === ofWorker);
  if (own !== undefined) return { type: own, worker };
  const what = OF_RUN.find((one) => one === ofRun);
  return what === undefined ? { type: 'leave', worker } : { type: what, worker, runId };
}

/** How long a request is to be held, in milliseconds: absent 0, and more than the limit is the limit. */
export function parseWait(query: URLSearchParams): Parsed<number> {
  const text = query.get('wait') ?? '0';
  if (/^\d{1,6}$/.test(text)) return { type: 'read', value: Math.min(Number(text), MAX_WAIT_S) * 1000 };
  return { type: 'wrong', problem: `the query: wait: got ${shown(text)}, expected a whole number of seconds` };
}

/** How many runs a worker can take. */
export function parseFree(query: URLSearchParams): Parsed<number> {
  const text = query.get('free');
  const free = /^\d{1,6}$/.test(text ?? '') ? Number(text) : 0;
  if (free >= 1 && free <= MAX_CAPACITY) return { type: 'read', value: free };
  const received = text === null ? 'nothing' : shown(text);
  return {
    type: 'wrong',
    problem: `the query: free: got ${received}, expected a whole number from 1 to ${MAX_CAPACITY}`,
  };
}
