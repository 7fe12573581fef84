import type { Patch } from 'hooklet';
import type { SetSummary } from './facts.ts';
import { PAUSE_ANNOTATION, REPAIRS_ANNOTATION, STATE_ANNOTATION, type Settings } from './settings.ts';

/** The new annotations of the StatefulSet; `undefined` does not change the list of repairs. */
export interface Kept {
  readonly state: string;
  readonly repairs: string | undefined;
}

/**
 * The state is written only if it has not changed since it was read: of two operators one fails, and starts again. Nor
 * is it written if the hook has been paused meanwhile.
 */
export function keepState(patch: Patch, settings: Settings, set: SetSummary, { state, repairs }: Kept): void {
  const { resourceVersion, annotated, paused, state: before } = set;
  const { namespace, statefulset: name } = settings;
  const target = { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace, name };
  if (!annotated) {
    const counted = repairs === undefined ? {} : { [REPAIRS_ANNOTATION]: repairs };
    patch.merge(target, { metadata: { resourceVersion, annotations: { [STATE_ANNOTATION]: state, ...counted } } });
    return;
  }
  const path = pointer(STATE_ANNOTATION);
  patch.json(target, [
    { op: 'test', path, value: before === '' ? null : before },
    ...(paused ? [] : [{ op: 'test', path: pointer(PAUSE_ANNOTATION), value: null } as const]),
    state === '' ? { op: 'remove', path } : { op: 'add', path, value: state },
    ...(repairs === undefined ? [] : [{ op: 'add', path: pointer(REPAIRS_ANNOTATION), value: repairs } as const]),
  ]);
}

function pointer(annotation: string): string {
  return `/metadata/annotations/${annotation.replaceAll('/', '~1')}`;
}
