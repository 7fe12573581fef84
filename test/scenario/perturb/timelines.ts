import type { JsonObject, JsonValue } from '@hooklet/sandbox';
import type { Story } from '../../../src/scenario/perturb/play.ts';
import type { Moment, Write } from '../../../src/scenario/timeline.ts';

/** A ConfigMap with this name and data. */
export function configMap(name: string, data: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', ...metadata }, data };
}

/** A story with these moments and these objects at its end. */
export function story(timeline: readonly Moment[], objects: readonly JsonObject[] = []): Story {
  return { timeline, objects };
}

/** A write of hooklet that changed the ConfigMap of this name, in the run `r1`. */
export function write(name: string, changes: Partial<Write> = {}): Moment {
  return {
    atMs: 0,
    step: 1,
    type: 'write',
    by: 'hooklet',
    run: 'r1',
    verb: 'create',
    object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name },
    code: 201,
    isChange: true,
    hasPrecondition: false,
    ...changes,
  };
}

/** A run begins, of the hook `hook.sh`. */
export function started(run = 'r1', contexts: readonly JsonValue[] = []): Moment {
  return { atMs: 0, step: 1, type: 'run-started', run, hook: 'hook.sh', queue: 'main', attempt: 1, contexts };
}

/** A run ends, of the hook `hook.sh`. */
export function ended(outcome: 'succeeded' | 'failed' | 'interrupted', run = 'r1'): Moment {
  const message = outcome === 'failed' ? { message: 'exit code 1' } : {};
  return { atMs: 0, step: 1, type: 'run-ended', run, hook: 'hook.sh', outcome, next: 'done', output: [], ...message };
}

/** A watch event of the ConfigMap of this name. */
export function delivered(event: number, name: string, step = 1): Moment {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name };
  return { atMs: 0, step, type: 'delivered', event, change: 'MODIFIED', object };
}
