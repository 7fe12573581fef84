import { UsageError } from '../errors.ts';
import { present } from '../hook/config-reader.ts';
import type { DeadControl, DeadFilter } from '../hook/dead-control.ts';
import type { PauseControl, PauseTarget } from '../hook/pause-control.ts';
import { answered, failure, notAllowed, type ControlRequest, type ControlRoute } from './control-answer.ts';
import { letterDocument, pauseDocument } from './outcome-documents.ts';

export interface OutcomeRouteOptions {
  readonly dead?: DeadControl;
  readonly pauses?: PauseControl;
  /** Why nothing can be changed here; undefined when it can. */
  readonly refusal: () => string | undefined;
  /** As `refusal`, of dead letters; absent: as of all. */
  readonly deadRefusal?: (() => string | undefined) | undefined;
}

/** Answers requests about dead letters and pauses. */
export function outcomeRoute(options: OutcomeRouteOptions): ControlRoute {
  return async (request) => {
    const found = routeOf(request, options);
    if (found === undefined) return undefined;
    if (request.method !== found.method) return notAllowed(found.method);
    const { refusal, deadRefusal = refusal } = options;
    const refused = request.path.startsWith('/dead') ? deadRefusal() : refusal();
    if (found.method === 'POST' && refused !== undefined) return failure(409, refused);
    return answered(async () => {
      const body = await found.answer();
      return { status: 200, body: found.method === 'GET' && refused !== undefined ? { ...body, note: refused } : body };
    });
  };
}

interface Route {
  readonly method: 'GET' | 'POST';
  readonly answer: () => Promise<object>;
}

function routeOf(
  { path, query }: Pick<ControlRequest, 'path' | 'query'>,
  { dead, pauses }: Pick<OutcomeRouteOptions, 'dead' | 'pauses'>,
): Route | undefined {
  if (path.startsWith('/dead') && dead !== undefined) return deadRoute(path, query, dead);
  return path.startsWith('/pauses') && pauses !== undefined ? pauseRoute(path, query, pauses) : undefined;
}

function deadRoute(path: string, query: URLSearchParams, dead: DeadControl): Route | undefined {
  switch (path) {
    case '/dead':
      return { method: 'GET', answer: async () => ({ letters: (await dead.list()).map(letterDocument) }) };
    case '/dead/retry':
      return { method: 'POST', answer: async () => dead.retry(await knownFilter(query, dead)) };
    case '/dead/drop':
      return { method: 'POST', answer: async () => ({ dropped: await dead.drop(await knownFilter(query, dead)) }) };
    default:
      return undefined;
  }
}

function pauseRoute(path: string, query: URLSearchParams, pauses: PauseControl): Route | undefined {
  switch (path) {
    case '/pauses':
      return { method: 'GET', answer: async () => ({ pauses: (await pauses.list()).map(pauseDocument) }) };
    case '/pauses/pause':
      return { method: 'POST', answer: async () => ({ kept: await pauses.pause(targetOf(query)) }) };
    case '/pauses/resume':
      return { method: 'POST', answer: async () => ({ released: await pauses.resume(targetOf(query)) }) };
    default:
      return undefined;
  }
}

/** The filter of a query; throws `UsageError` for an empty one without `all`, and for the id of no letter. */
async function knownFilter(query: URLSearchParams, dead: DeadControl): Promise<DeadFilter> {
  const filter: DeadFilter = present({
    id: given(query, 'id'),
    hook: given(query, 'hook'),
    reason: given(query, 'reason'),
    object: given(query, 'object'),
  });
  const { id } = filter;
  if (Object.keys(filter).length === 0 && query.get('all') !== 'true')
    throw new UsageError('say which letters: an id, a hook, a reason, an object, or all');
  if (id !== undefined && !(await dead.list()).some((letter) => letter.id === id))
    throw new UsageError(`no dead letter ${JSON.stringify(id)}; see hooklet dead list`);
  return filter;
}

function targetOf(query: URLSearchParams): PauseTarget {
  const hook = given(query, 'hook');
  const queue = given(query, 'queue');
  const name = given(query, 'name');
  if (name !== undefined) {
    const namespace = given(query, 'namespace') ?? '';
    return { type: 'object', namespace, name, ...present({ kind: given(query, 'kind'), hook }) };
  }
  if (queue !== undefined && hook === undefined) return { type: 'queue', queue };
  if (hook !== undefined && queue === undefined) return { type: 'hook', hook };
  throw new UsageError('say what: a hook, a queue, or an object');
}

function given(query: URLSearchParams, key: string): string | undefined {
  const value = query.get(key);
  return value === null || value === '' ? undefined : value;
}
