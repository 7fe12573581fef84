import { readinessOf } from '../../effects/children/readiness.ts';
import type { ChildView } from '../../hook/operator-view.ts';
import type { ObjectOutcome } from '../../hook/run-control.ts';
import { asJsonObject, parseJson, text } from '../../kube/object.ts';
import type { HookUnit } from '../../units/hook-unit.ts';

const MAX_CHILDREN = 200;

/** The children of an object that a run was about, at most 200, each with its state. */
export function childrenOf(units: readonly HookUnit[], object: ObjectOutcome): readonly ChildView[] {
  const unit = units.find(({ hook }) => hook.name === object.hook);
  const { namespace = '', name } = object;
  const children = unit?.childrenOf(object.binding, { namespace, name }) ?? [];
  return children.slice(0, MAX_CHILDREN).map((bytes) => {
    const child = asJsonObject(parseJson(bytes));
    const metadata = asJsonObject(child['metadata']);
    const { state, reason } = readinessOf(child);
    const childNamespace = text(metadata['namespace']);
    return {
      apiVersion: text(child['apiVersion']),
      kind: text(child['kind']),
      ...(childNamespace !== '' && { namespace: childNamespace }),
      name: text(metadata['name']),
      state: state === 'ready' ? 'Ready' : reason,
    };
  });
}
