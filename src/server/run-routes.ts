import type { RecordingControl, RecordingState, RunControl } from '../hook/run-control.ts';
import {
  answered,
  decodedParts,
  failure,
  notAllowed,
  type ControlAnswer,
  type ControlRequest,
  type ControlRoute,
} from './control-answer.ts';

const PATH = /^\/runs(?:\/([^/]+)(\/logs|\/recording)?)?$/;
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
/** With `follow`, how long an answer waits for a line; the client asks again. */
const FOLLOW_MS = 20_000;

/**
 * `GET /runs?hook=&object=&failed=&limit=`, `GET /runs/ID`, `GET /runs/ID/logs?after=&follow`, and `GET
 * /runs/ID/recording`, whose answer has the recording in gzip and base64. With `follow` the
 * answer waits up to 20 s for a line or the end of the run, and the next request asks from the line after the last.
 */
export function runRoute(runs: RunControl, recordings?: RecordingControl): ControlRoute {
  return async (request) => {
    const [found, id, part] = PATH.exec(request.path) ?? [];
    if (found === undefined) return undefined;
    if (request.method !== 'GET') return notAllowed('GET');
    if (id === undefined) return answered(async () => list(runs, request.query));
    const [name] = decodedParts(id) ?? [];
    if (name === undefined) return failure(400, `${request.path} is not an escaped path`);
    return answered(async () => {
      if (part === '/logs') return log(runs, name, request);
      // A recording may be kept longer than the record of its run.
      const isKept = recordings?.state(name).type === 'kept';
      if (part === '/recording') return recording(isKept ? name : runs.find(name).id, recordings);
      const run = runs.find(name);
      return { status: 200, body: { run, ...(recordings && { recording: recordings.state(run.id) }) } };
    });
  };
}

const NOT_RECORDED: RecordingState = { type: 'none', why: 'the operator was started without --record' };

async function recording(id: string, recordings: RecordingControl | undefined): Promise<ControlAnswer> {
  const state = recordings?.state(id) ?? NOT_RECORDED;
  const bytes = await recordings?.read(id);
  if (bytes === undefined) {
    const why = state.type === 'none' ? state.why : 'it cannot be read any more';
    return failure(404, `there is no recording of run ${id}: ${why}`);
  }
  return { status: 200, body: { id, recording: Buffer.from(bytes).toString('base64') } };
}

function list(runs: RunControl, query: URLSearchParams): ControlAnswer {
  const limit = numberIn(query, 'limit', DEFAULT_LIMIT);
  if (limit === undefined || limit === 0 || limit > MAX_LIMIT) {
    return failure(400, `limit: expected a whole number from 1 to ${MAX_LIMIT}`);
  }
  const [hook, object] = [query.get('hook'), query.get('object')];
  const body = runs.list({
    ...(hook !== null && { hook }),
    ...(object !== null && { object }),
    isFailed: isSet(query, 'failed'),
    limit,
  });
  return { status: 200, body };
}

async function log(runs: RunControl, id: string, { query, signal }: ControlRequest): Promise<ControlAnswer> {
  const after = numberIn(query, 'after', 0);
  if (after === undefined) return failure(400, 'after: expected a whole number');
  const waitMs = isSet(query, 'follow') ? FOLLOW_MS : 0;
  return { status: 200, body: await runs.logs(id, { after, waitMs, signal }) };
}

function numberIn(query: URLSearchParams, name: string, fallback: number): number | undefined {
  const text = query.get(name);
  if (text === null) return fallback;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** `?follow` and `?follow=true`, but not `?follow=false`. */
function isSet(query: URLSearchParams, name: string): boolean {
  return query.has(name) && query.get(name) !== 'false';
}
