import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/hook-rig.ts';
import { runProgram } from '../../support/program.ts';

/** Copies the size into a ConfigMap, and looks each minute. */
const HOOK = `#!/bin/sh
if [ "$1" = --config ]; then
  echo '{configVersion: v1, schedule: [{crontab: "* * * * *", includeSnapshotsFrom: [clusters]}], kubernetes: [{name: clusters, apiVersion: example.dev/v1, kind: Cluster, includeSnapshotsFrom: [clusters]}]}'
  exit
fi
jq -c '.[-1].snapshots.clusters[].object | {operation: "CreateOrUpdate", object: {apiVersion: "v1", kind: "ConfigMap",
  metadata: {name: "size", namespace: "default"}, data: {size: (.spec.size | tostring)}}}' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
`;

const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clusters.example.dev}
spec:
  group: example.dev
  scope: Namespaced
  names: {kind: Cluster, plural: clusters, singular: cluster}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {type: object, default: {}, properties: {size: {type: integer, default: 1}}}
`;

const STORY = `perturb: misuse
given:
  crds: crd.yaml
steps:
  - apply: {apiVersion: example.dev/v1, kind: Cluster, metadata: {name: db, namespace: default}}
`;

it('a field that is removed and that the API server fills in again is no mistake of which somebody is to be told', async () => {
  using temporary = temporaryFolder();
  mkdirSync(join(temporary.path, 'hooks'));
  writeFileSync(join(temporary.path, 'hooks', 'size.sh'), HOOK, { mode: 0o755 });
  writeFileSync(join(temporary.path, 'crd.yaml'), CRD);
  writeFileSync(join(temporary.path, 'size.scenario.yaml'), STORY);

  const { exitCode, stdout } = await runProgram(['test'], { cwd: temporary.path });

  expect(stdout).toMatch(/perturbed: \d+ plans.*: no difference/);
  expect(exitCode).toBe(0);
});
