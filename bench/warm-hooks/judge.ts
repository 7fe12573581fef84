import { defineHook, validating } from 'hooklet';

// Allows every ConfigMap.
const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }] as const;

export default defineHook({
  bindings: { 'judge.bench.example.com': validating({ rules }) },
  run({ answer }) {
    answer.allow();
  },
});
