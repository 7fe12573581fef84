/* What each action does in a live world. */

import { isJsonObject, type JsonObject, type JsonValue } from '@hooklet/sandbox';
import { ScenarioError } from '../../errors.ts';
import type { Action, ObjectName } from '../world.ts';
import { actionText, nameOf, objectText } from './action-text.ts';
import type { LiveWorld } from './live-world.ts';
import { objectPath, type ClusterAnswer } from './world-cluster.ts';

const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';

type Answered = ClusterAnswer | undefined;
type Doing = {
  readonly [Type in Action['type']]: (
    world: LiveWorld,
    action: Extract<Action, { type: Type }>,
  ) => Promise<Answered> | Answered;
};

const DOING: Doing = {
  apply: async (world, { object, subresource }) => write(world, 'PATCH', { object, subresource }, object),
  patch: async (world, { object, subresource, patch }) =>
    write(world, 'PATCH', { object: namedObject(object), subresource, contentType: MERGE }, patch),
  delete: async (world, { object }) => write(world, 'DELETE', { object: namedObject(object) }),
  tick: async (world, { ms }) => passing(world, world.clock.nowMs + ms),
  until: async (world, { timeMs }) => passing(world, timeMs),
  fault: (world, { fault }) => {
    world.cluster.sandbox.faults.add(fault);
    return undefined;
  },
  clearFaults: (world) => {
    world.cluster.sandbox.faults.clear();
    return undefined;
  },
  settle: () => undefined,
  relist: ({ cluster: { sandbox } }) => {
    sandbox.expire();
    sandbox.dropWatches();
    return undefined;
  },
  killOperator: async (world) => {
    await world.kill('the operator and its hooks');
    world.start();
    return undefined;
  },
  restart: async (world, { downMs = 0 }) => {
    await world.end();
    world.passDown(downMs);
    world.start();
    return undefined;
  },
  killHook: (world, { hook, afterEffects }) => {
    world.doom(hook, afterEffects);
    return undefined;
  },
  trigger,
  http: async (world, action) => ask(world.life.inside.port, action),
  admit,
  convert,
  again,
};

/** The actions that ask the operator, or end it themselves. */
const FOR_OPERATOR: readonly Action['type'][] = ['trigger', 'http', 'again', 'killOperator', 'killHook', 'restart'];

/** The actions that come to rest themselves in between. */
const IN_STEPS: readonly Action['type'][] = ['tick', 'until', 'again'];

/** Does an action and waits until the world is at rest; resolves to the answer, if the action has one. */
export async function act(world: LiveWorld, action: Action): Promise<Answered> {
  world.begin();
  world.recorder.step += 1;
  const needsOperator = FOR_OPERATOR.includes(action.type);
  world.recorder.add({ type: 'action', text: actionText(action), ...(needsOperator && { needsOperator }) });
  const isDown = world.given.disturbance?.type === 'down' && world.given.disturbance.action === world.recorder.step;
  if (!isDown || needsOperator) return doneAtRest(world, action);
  world.during(world.end());
  await world.rest();
  world.recorder.add({ type: 'disturbed', text: `ended before action ${world.recorder.step}, started after it` });
  const answer = await doneAtRest(world, action);
  world.start();
  await world.rest();
  return answer;
}

async function doneAtRest(world: LiveWorld, action: Action): Promise<Answered> {
  const doing = DOING[action.type] as (world: LiveWorld, action: Action) => Promise<Answered> | Answered;
  const answer = (async () => doing(world, action))();
  if (!IN_STEPS.includes(action.type)) world.during(answer.catch(() => {}));
  else await answer;
  await world.rest();
  return answer;
}

async function trigger(
  world: LiveWorld,
  { hook, binding, object }: Extract<Action, { type: 'trigger' }>,
): Promise<undefined> {
  const { operator } = world.life.inside;
  const place = object && { namespace: object.namespace, name: object.name };
  if ((operator.hooks.unitNamed(hook)?.lookAgain(binding, place) ?? 0) > 0) return;
  if (object !== undefined) {
    throw new ScenarioError(`hook ${hook} has no reconcile binding that knows ${objectText(object)}`);
  }
  const own = operator.schedules.list().filter((schedule) => schedule.hook === hook);
  const meant = binding === undefined ? own.map((schedule) => schedule.binding) : [binding];
  if (meant.length === 0) throw new ScenarioError(`hook ${hook}: there is nothing to trigger, it has no schedule`);
  for (const name of meant) await operator.schedules.trigger(hook, name);
}

/** Everything again: what a start does, and then each schedule. */
async function again(world: LiveWorld): Promise<undefined> {
  world.during(world.end());
  await world.rest();
  world.start();
  await world.rest();
  const { schedules } = world.life.inside.operator;
  for (const { hook, binding, isSuspended } of schedules.list()) {
    if (!isSuspended) await schedules.trigger(hook, binding);
  }
}

async function ask(
  port: number,
  { method, path, headers, body }: Extract<Action, { type: 'http' }>,
): Promise<ClusterAnswer> {
  const init = { method, ...(headers && { headers }), ...(body !== undefined && { body }) };
  const response = await fetch(new URL(path, `http://127.0.0.1:${port}`), init);
  const text = await response.text();
  return { code: response.status, body: parsedText(text) };
}

async function admit(world: LiveWorld, action: Extract<Action, { type: 'admit' }>): Promise<ClusterAnswer> {
  const { operation, object, subresource, dryRun = false, user } = action;
  const path = `${objectPath(world.cluster, object)}${partOf(subresource)}`;
  const isCreate = operation === 'CREATE' && subresource === undefined;
  return world.cluster.ask({
    method: { CREATE: 'POST', UPDATE: 'PUT', DELETE: 'DELETE' }[operation],
    path: `${isCreate ? path.slice(0, path.lastIndexOf('/')) : path}${dryRun ? '?dryRun=All' : ''}`,
    ...(operation !== 'DELETE' && { body: operation === 'UPDATE' ? await latest(world, path, object) : object }),
    ...(user && { headers: impersonating(user) }),
  });
}

function impersonating({
  username,
  groups = [],
}: NonNullable<Extract<Action, { type: 'admit' }>['user']>): Record<string, string> {
  return { 'impersonate-user': username, 'impersonate-group': groups.join(',') };
}

/** The object with the resourceVersion that is there, which an update of many kinds needs. */
async function latest(world: LiveWorld, path: string, object: JsonObject): Promise<JsonObject> {
  const { code, body } = await world.cluster.ask({ method: 'GET', path });
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  if (code !== 200 || !isJsonObject(body) || !isJsonObject(body['metadata'])) return object;
  const { resourceVersion = '' } = body['metadata'];
  return { ...object, metadata: { resourceVersion, ...metadata } };
}

async function convert(world: LiveWorld, { object, to }: Extract<Action, { type: 'convert' }>): Promise<ClusterAnswer> {
  const isWhole = Object.keys(object).some((field) => !['apiVersion', 'kind', 'metadata'].includes(field));
  if (isWhole) {
    const written = await write(world, 'PATCH', { object }, object);
    if (written.code >= 300) return written;
  }
  const { apiVersion } = nameOf(object);
  const other = to.includes('/') ? to : apiVersion.replace(/[^/]*$/, to);
  return world.cluster.ask({ method: 'GET', path: objectPath(world.cluster, { ...object, apiVersion: other }) });
}

function parsedText(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

async function passing(world: LiveWorld, timeMs: number): Promise<undefined> {
  await world.passTo(timeMs);
}

interface Place {
  readonly object: JsonObject;
  readonly subresource?: string | undefined;
  readonly contentType?: string;
}

async function write(
  world: LiveWorld,
  method: string,
  { object, subresource, contentType = APPLY }: Place,
  body?: JsonObject,
): Promise<ClusterAnswer> {
  const query = contentType === APPLY && method === 'PATCH' ? '?fieldManager=scenario&force=true' : '';
  const path = `${objectPath(world.cluster, object)}${partOf(subresource)}${query}`;
  return world.cluster.ask({ method, path, ...(body !== undefined && { body, contentType }) });
}

function partOf(subresource: string | undefined): string {
  return subresource === undefined ? '' : `/${subresource}`;
}

function namedObject({ apiVersion, kind, namespace, name }: ObjectName): JsonObject {
  return { apiVersion, kind, metadata: { name, ...(namespace !== '' && { namespace }) } };
}
