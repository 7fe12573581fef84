import type { Patch } from 'hooklet';
import type { SetSummary } from './facts.ts';
import { PAUSE_ANNOTATION, REPAIRS_ANNOTATION, STATE_ANNOTATION, type Settings } from './settings.ts';

/** What the annotations of the StatefulSet are to hold; undefined leaves the repairs as they are. */
export interface Kept {
  readonly state: string;
  readonly repairs: string | undefined;
}

/**
 * The state is written only if it is still what was read: of two runners one loses, and looks again. Nor is it written
 * over a pause that has been set meanwhile.
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
