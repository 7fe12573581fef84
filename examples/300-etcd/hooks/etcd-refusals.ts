// Refuses EtcdClusters, backups and restores that cannot be, with what to ask for instead.
import { defineHook, validating } from 'hooklet';
import { GROUP, type EtcdCluster } from './lib/cluster.ts';
import { changeProblem } from './lib/change-problem.ts';
import { specProblem } from './lib/spec-problem.ts';

export default defineHook({
  bindings: {
    [`clusters.${GROUP}`]: validating<EtcdCluster>({
      rules: [
        { apiGroups: [GROUP], apiVersions: ['v1'], resources: ['etcdclusters'], operations: ['CREATE', 'UPDATE'] },
      ],
      timeoutSeconds: 5,
    }),
  },
  run({ contexts, answer }) {
    for (const { request } of contexts) {
      const [object, old] = [request.object ?? undefined, request.oldObject ?? undefined];
      // What is being deleted only loses its finalizers.
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) continue;
      const problem = specProblem(object.spec) ?? (old === undefined ? undefined : changeProblem(object, old));
      if (problem !== undefined) return answer.deny(problem);
    }
    answer.allow();
  },
});
