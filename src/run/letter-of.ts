import { HookFailedError, summaryOf } from '../errors.ts';
import { present } from '../hook/config-reader.ts';
import type { DeadLetter, LetterObject, LetterTrigger } from '../hook/dead-control.ts';
import { subjectOf } from '../hook/subject.ts';
import { sliceOfTrigger, type QueuedTrigger, type SnapshotItem } from '../hook/trigger.ts';
import { shortHash } from '../lib/short-hash.ts';
import { unreachable } from '../lib/unreachable.ts';
import type { EndedPart } from './journal.ts';
import type { RunOutcome } from './run.ts';

const MAX_MESSAGE = 512;
const MAX_REASON = 128;
const MAX_NAME = 512;
/** A larger object is not parsed for its uid and versions. */
const MAX_PARSED_BYTES = 2 * 1024 * 1024;

/** The letter of one trigger of a part of a run that was given up. */
export function letterOf(
  { task, outcome }: Pick<EndedPart, 'task' | 'outcome'>,
  trigger: QueuedTrigger,
  { why, runId, nowMs }: { readonly why: DeadLetter['why']; readonly runId: string; readonly nowMs: number },
): DeadLetter {
  const { reason, message } = saidOf(outcome);
  return {
    id: shortHash(subjectOf(task.hook.name, trigger) ?? ''),
    hook: task.hook.name,
    binding: trigger.type === 'onStartup' ? '' : trigger.binding.name,
    trigger: referenceOf(trigger),
    why,
    ...present({ reason: reason?.slice(0, MAX_REASON) }),
    message: message.slice(0, MAX_MESSAGE),
    attempts: task.failures + 1,
    firstAtMs: task.sinceMs,
    lastAtMs: nowMs,
    runId,
    ...present({ slice: sliceOfTrigger(trigger)?.index }),
  };
}

/** What a run says of itself, or why it failed. */
export function saidOf(outcome: RunOutcome): { readonly reason: string | undefined; readonly message: string } {
  const result = 'result' in outcome ? outcome.result : undefined;
  const otherwise = 'error' in outcome ? failureText(outcome.error) : 'its work cannot be done yet';
  return { reason: result?.reason, message: result?.message ?? otherwise };
}

function failureText(error: Error): string {
  if (!(error instanceof HookFailedError)) return summaryOf(error);
  return error.ending?.exitCode === undefined ? error.ended : `${error.ended}, without a message`;
}

function referenceOf(trigger: QueuedTrigger): LetterTrigger {
  switch (trigger.type) {
    case 'onStartup':
      return { type: 'onStartup' };
    case 'schedule': {
      const { runId, scheduledAtMs } = trigger.run;
      return { type: 'schedule', runId, scheduledAtMs };
    }
    case 'http':
      return { type: 'http', runId: trigger.runId };
    case 'synchronization': {
      const { kind, apiVersion } = trigger.binding;
      return { type: 'synchronization', kind, ...present({ apiVersion, slice: trigger.slice?.index }) };
    }
    case 'event': {
      const { binding, item, watchEvent, resourceVersion } = trigger;
      const { namespace, name } = item;
      const { kind, apiVersion } = binding;
      const known = { ...present({ apiVersion, resourceVersion }), ...versionsOf(item) };
      return { type: 'event', watchEvent, kind, namespace, name, ...known };
    }
    case 'reconcile': {
      const { binding, namespace, name, reason } = trigger;
      const { kind, apiVersion } = binding;
      return { type: 'reconcile', reason, kind, ...present({ apiVersion }), namespace, name };
    }
    default:
      return unreachable(trigger);
  }
}

/** The fields of an object that tell one version of it from another. */
export type LetterVersions = Pick<LetterObject, 'apiVersion' | 'uid' | 'resourceVersion' | 'generation'>;

/** What the metadata of an object say about its identity; empty when the object is not at hand. */
export function versionsOf({ object }: Pick<SnapshotItem, 'object'>): Partial<LetterVersions> {
  if (object === undefined || object.length > MAX_PARSED_BYTES) return {};
  const { apiVersion, metadata } = parsed(object);
  const { uid, resourceVersion, generation } = membersOf(metadata);
  return present({
    apiVersion: textOf(apiVersion),
    uid: textOf(uid),
    resourceVersion: textOf(resourceVersion),
    generation: typeof generation === 'number' ? generation : undefined,
  });
}

function parsed(json: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8'));
    return membersOf(value);
  } catch {
    return {};
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_NAME) : undefined;
}
