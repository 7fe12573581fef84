import { defineHook, validating } from 'hooklet';

// Allows everything of a kind that does not exist: only the bench sends reviews.
const rules = [
  { apiGroups: ['bench.example.com'], apiVersions: ['v1'], resources: ['things'], operations: ['CREATE'] },
] as const;

export default defineHook({
  bindings: { 'judge.bench.example.com': validating({ rules }) },
  run({ answer }) {
    answer.allow();
  },
});
