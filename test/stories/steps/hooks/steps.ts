import { reconcile, type KubernetesObject } from 'hooklet';

interface Plan extends KubernetesObject {
  readonly data: { readonly steps: string };
}

interface State {
  readonly doing: number;
}

// One step in a run: the state says which one is under way, the cluster whether it is done.
export default reconcile<Plan>(
  {
    name: 'plans',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    nameSelector: { matchNames: ['plan'] },
    watches: [{ name: 'made', apiVersion: 'v1', kind: 'Secret', for: '.metadata.labels.plan' }],
  },
  ({ object, watched, state, patch }) => {
    const steps = Number(object.data.steps);
    const made = watched['made']?.length ?? 0;
    const doing = isState(state) ? state.doing : 0;
    if (steps > 5) return { refused: { reason: 'TooMany', message: `data.steps is ${steps}, expected at most 5` } };
    if (doing > made) {
      const metadata = { name: `step-${doing}`, namespace: 'default', labels: { plan: 'plan' } };
      patch.createIfNotExists({ apiVersion: 'v1', kind: 'Secret', metadata });
      return {};
    }
    if (made >= steps) return {};
    const step = `step ${made + 1}`;
    return {
      state: { doing: made + 1 },
      events: [{ type: 'Normal', reason: 'Stepped', message: step, once: step }],
    };
  },
);

function isState(state: unknown): state is State {
  return typeof state === 'object' && state !== null && 'doing' in state && typeof state.doing === 'number';
}
