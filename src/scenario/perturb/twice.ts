/* A second run of everything, where nothing is left to be done: it writes nothing, and webhooks add nothing. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '@hooklet/sandbox';
import type { Moment, RunStarted, Write } from '../timeline.ts';
import type { Action, World } from '../world.ts';
import { differingPaths, type Mask, maskedObject, objectKey, withoutPorts } from './mask.ts';
import { isOwnChange, shownAt, valueAt } from './oracle.ts';
import type { Difference } from './difference.ts';
import { shownWrite } from './strikes.ts';

/**
 * Runs every binding of a recovered world again and returns what was written then. Runs for schedules alone are left out:
 * each tick is work of its own. A write that changes nothing is none. Each allowed CREATE of the scenario is judged
 * again with the object that came out: mutating webhooks leave it as it is.
 */
export async function runTwice(world: World, actions: readonly Action[], mask: Mask): Promise<Difference[]> {
  const { from } = await world.act({ type: 'again' });
  await world.act({ type: 'tick', ms: SETTLE_MS });
  const moments = world.timeline.slice(from);
  const differences = [...writesAgain(moments, world.timeline)];
  for (const action of actions) {
    if (action.type !== 'admit' || action.operation !== 'CREATE') continue;
    differences.push(...(await judgedAgain(world, action, mask)));
  }
  return differences.slice(0, 20);
}

const SETTLE_MS = 60_000;

function writesAgain(moments: readonly Moment[], timeline: readonly Moment[]): Difference[] {
  const runs = new Map<string, RunStarted>();
  for (const moment of timeline) if (moment.type === 'run-started') runs.set(moment.run, moment);
  return moments.flatMap((moment): Difference[] => {
    if (!isOwnChange(moment)) return [];
    const run = runs.get(moment.run ?? '');
    if (run !== undefined && run.contexts.every(isTick)) return [];
    const paths = changedPaths(moment);
    const path = paths.find((one) => !isPort(moment, one));
    if (path === undefined && paths.length > 0) return [];
    const where =
      path === undefined ? '' : `: ${path} from ${shownAt(moment.before, path)} to ${shownAt(moment.after, path)}`;
    return [{ type: 'writes', text: `${shownWrite(moment)}${where}` }];
  });
}

/** Whether all that differs there is the port of this machine at which hooklet has registered its webhooks. */
function isPort({ before, after }: Write, path: string): boolean {
  const [one, other] = [valueAt(before, path), valueAt(after, path)];
  return typeof one === 'string' && typeof other === 'string' && withoutPorts(one) === withoutPorts(other);
}

function isTick(context: JsonValue): boolean {
  return isJsonObject(context) && context['type'] === 'Schedule';
}

function changedPaths({ before, after }: Write): readonly string[] {
  if (before === undefined || after === undefined) return [];
  return differingPaths(before, after).filter(
    (path) => !/^\/metadata\/(?:managedFields|resourceVersion|generation)/.test(path),
  );
}

type Admit = Extract<Action, { type: 'admit' }>;

async function judgedAgain(world: World, action: Admit, mask: Mask): Promise<Difference[]> {
  const once = answerOf(await world.act({ ...action, dryRun: true }));
  if (once === undefined) return [];
  const twice = answerOf(await world.act({ ...action, object: asInput(once), dryRun: true }));
  const key = objectKey(once, mask);
  const path = differingPaths(maskedObject(once, key, mask), twice && maskedObject(twice, key, mask))[0];
  if (path === undefined) return [];
  const text =
    twice === undefined
      ? 'what the webhooks allowed is refused when it is created again'
      : `judged again, what the webhooks answered changes: ${path} from ${shownAt(once, path)} to ${shownAt(twice, path)}`;
  return [{ type: 'answer', text }];
}

function answerOf({
  answer,
}: {
  readonly answer?: { readonly code: number; readonly body: JsonValue };
}): JsonObject | undefined {
  return answer !== undefined && answer.code < 300 && isJsonObject(answer.body) ? answer.body : undefined;
}

// What the server added, which a client does not send.
function asInput(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isJsonObject(metadata) || isJsonArray(metadata)) return object;
  const kept = Object.entries(metadata).filter(([key]) => !SERVERS_OWN.has(key));
  return { ...object, metadata: Object.fromEntries(kept) };
}

const SERVERS_OWN = new Set(['uid', 'resourceVersion', 'generation', 'managedFields', 'creationTimestamp']);
