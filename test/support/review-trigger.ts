import type { AskTrigger } from '../../src/hook/trigger.ts';

/** A request to judge, for a hook that is asked. */
export const reviewTrigger: AskTrigger = {
  type: 'ask',
  binding: {
    type: 'kubernetesValidating',
    name: 'guard.example.com',
    rules: [],
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    timeoutSeconds: 10,
    matchConditions: [],
    includeSnapshotsFrom: [],
  },
  contextType: 'Validating',
  members: { review: '{"request":{"uid":"1"}}' },
};
