import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { openWorld } from '../../src/testing/index.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { fieldSweep, withoutEffect } from './kit/field-sweep.ts';
import { DEFINITION, NOTE, RIGHT, VALUES, writeNoteHook } from './kit/note-hook.ts';
import { quietDay } from './kit/quiet-day.ts';
import { rights } from './kit/rights.ts';
import { twoVersions } from './kit/two-versions.ts';

/** Sweeps over an operator whose hook answers with this jq program. */
async function sweepOf(answer: string) {
  using folder = temporaryFolder();
  const { hooks, definition } = writeNoteHook(folder.path, { answer });
  return await fieldSweep({ world: { hooks }, definition, base: NOTE, values: VALUES });
}

describe('fieldSweep', () => {
  it('finds an effect of each of 5 fields, set, changed and removed, or who refused it', async () => {
    const swept = await sweepOf(RIGHT);

    expect(withoutEffect(swept)).toEqual([]);
    expect(new Set(swept.map(({ path }) => path)).size).toBe(5);
    expect(swept.filter(({ outcome }) => outcome === 'refused')).toEqual([
      { path: 'spec.text', change: 'removed', outcome: 'refused', message: expect.stringContaining('Required value') },
    ]);
  });

  it('finds a field without effect', async () => {
    expect(withoutEffect(await sweepOf(RIGHT.replace('.spec.bold // false | tostring', '"false"')))).toEqual([
      'spec.bold: set',
      'spec.bold: changed',
      'spec.bold: removed',
    ]);
  });

  it('finds a field that is kept when it is removed', async () => {
    const keeps =
      '(.spec.tags // .owned.ConfigMap[0].object.metadata.labels // {} | {key} | with_entries(select(.value)))';
    const answer = `. as $context | ${RIGHT.replace('.spec.tags // {}', keeps.replace('.owned', '$context.owned'))}`;

    expect(withoutEffect(await sweepOf(answer))).toEqual(['spec.tags{}: removed']);
  });

  it('names the fields that it has no values for, and values without a field', async () => {
    using folder = temporaryFolder();
    const { hooks, definition } = writeNoteHook(folder.path, {});
    const { 'spec.text': _, ...values } = VALUES;
    const sweep = {
      world: { hooks },
      definition,
      base: NOTE,
      values: { ...values, 'spec.other': ['a', 'b'] as const },
    };

    await expect(fieldSweep({ ...sweep, values: { ...values, 'spec.other': ['a', 'b'] } })).rejects.toThrow(
      'spec.text: give two values that differ\nspec.other: the schema has no such field',
    );
  });
});

/** A world at rest with a Note. */
async function worldWith(script: string | undefined, use: (lines: readonly string[]) => void): Promise<void> {
  using folder = temporaryFolder();
  const { hooks, definition } = writeNoteHook(folder.path, script === undefined ? {} : { script });
  await using world = await openWorld({ hooks, crds: definition, objects: [NOTE] });
  use(await quietDay(world));
}

const CHECKED = `
jq -c '.[0] | (${RIGHT}) + {status: {checked: env.HOOKLET_NOW}}' "$BINDING_CONTEXT_PATH" > "$RESULT_PATH"`;
const TOLD = `
jq -c '.[0] | (${RIGHT}) + {events: [{type: "Normal", reason: "Seen", message: "again"}]}' "$BINDING_CONTEXT_PATH" > "$RESULT_PATH"`;

describe('quietDay', () => {
  it('finds no write of a hook that has nothing to do', async () => {
    await worldWith(undefined, (lines) => expect(lines).toEqual([]));
  });

  it('finds a status that is written each hour', async () => {
    await worldWith(CHECKED, (lines) => expect(new Set(lines)).toEqual(new Set(['apply Note/default/one status'])));
  });

  it('finds an Event that is told each hour', async () => {
    await worldWith(TOLD, (lines) => expect(new Set(lines)).toEqual(new Set(['Event Seen: again'])));
  });
});

describe('twoVersions', () => {
  it('finds no write between versions that want the same', async () => {
    using folder = temporaryFolder();
    const { hooks, definition } = writeNoteHook(folder.path, {});

    expect(await twoVersions({ hooks, world: { crds: definition, objects: [NOTE] } })).toEqual([]);
  });

  it('finds what the second version writes anew', async () => {
    using folder = temporaryFolder();
    const { hooks, definition } = writeNoteHook(folder.path, {});
    const change = (copy: string): void => {
      writeNoteHook(join(copy, '..'), { answer: RIGHT.replace('data: {', 'data: {version: "2", ') });
    };

    expect(await twoVersions({ hooks, world: { crds: definition, objects: [NOTE] }, change })).toEqual([
      'apply ConfigMap/default/one',
    ]);
  });
});

const ACCOUNT = { name: 'notes', namespace: 'notes' };
const rule = (group: string, resources: readonly string[], verbs: readonly string[]): JsonObject => ({
  apiGroups: [group],
  resources,
  verbs,
});
const RULES = [
  rule('kit.example.com', ['notes'], ['get', 'list', 'watch']),
  rule('kit.example.com', ['notes/status'], ['patch']),
  rule('kit.example.com', ['notes/finalizers'], ['update']),
  rule('', ['configmaps'], ['get', 'list', 'watch', 'create', 'patch', 'delete']),
  rule('', ['events'], ['create', 'patch']),
  rule('', ['namespaces'], ['list', 'watch']),
];

async function rightsWith(rules: readonly JsonObject[]): Promise<readonly string[]> {
  using folder = temporaryFolder();
  const { hooks } = writeNoteHook(folder.path, {});
  const scenario = join(folder.path, 'scenarios.scenario.yaml');
  writeFileSync(scenario, JSON.stringify({ given: { crds: 'definition.yaml' }, steps: [{ apply: NOTE }] }));
  const manifests: readonly JsonObject[] = [
    DEFINITION,
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'notes' }, rules },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'notes' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'notes' },
      subjects: [{ kind: 'ServiceAccount', ...ACCOUNT }],
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: ACCOUNT,
      spec: { template: { spec: { serviceAccountName: ACCOUNT.name, containers: [{ name: 'hooklet' }] } } },
    },
  ];
  return await rights({ hooks, manifests, scenarios: [scenario] });
}

describe('rights', () => {
  it('finds nothing where each right is needed and none is missing', async () => {
    expect(await rightsWith(RULES)).toEqual([]);
  });

  it('finds a missing right and one that nobody uses', async () => {
    const rules = [...RULES, rule('', ['secrets'], ['get'])];
    const less = rules.filter(({ resources }) => JSON.stringify(resources) !== '["notes/status"]');

    expect(await rightsWith(less)).toEqual([
      expect.stringMatching(/^missing: .*notes\/status.*patch/),
      expect.stringMatching(/^unused: get secrets in the cluster/),
    ]);
  });
});
