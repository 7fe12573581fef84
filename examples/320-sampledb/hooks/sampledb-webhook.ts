// Refuses SampleDBs that could never be, with all that is wrong with them.
import { defineHook, validating } from 'hooklet';
import { heldBy, problemsOf, type SampleDB } from './lib/spec.ts';

export default defineHook({
  bindings: {
    'sampledbs.example.hooklet.dev': validating<SampleDB>({
      rules: [
        {
          apiGroups: ['example.hooklet.dev'],
          apiVersions: ['v1'],
          resources: ['sampledbs'],
          operations: ['CREATE', 'UPDATE'],
        },
      ],
      // While nobody answers, changes pass: the other hook refuses them then, in the status.
      failurePolicy: 'Ignore',
      timeoutSeconds: 5,
    }),
  },
  run({ contexts, answer }) {
    for (const { request } of contexts) {
      const { object, oldObject } = request;
      const problems =
        object === null || isTheSame(object, oldObject) ? [] : problemsOf(object, heldBy(object, oldObject));
      if (problems.length === 0) answer.allow();
      else answer.deny(problems.join('; '));
    }
  },
});

// Finalizers, labels and annotations can be changed whatever the spec is.
function isTheSame(object: SampleDB, old: SampleDB | null): boolean {
  return JSON.stringify(object.spec) === JSON.stringify(old?.spec);
}
