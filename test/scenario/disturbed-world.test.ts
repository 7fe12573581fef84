import { afterAll, describe, expect, it } from 'vitest';
import type { World } from '../../src/scenario/world.ts';
import { shellHook, writeHooks } from '../support/world-hooks.ts';
import { only, worldRig } from '../support/world-rig.ts';

const rig = worldRig();
afterAll(async () => rig[Symbol.asyncDispose]());

const CONFIG = {
  configVersion: 'v1',
  kubernetes: [{ name: 'maps', apiVersion: 'v1', kind: 'ConfigMap', labelSelector: { matchLabels: { app: 'a' } } }],
};
const map = (name: string, data = '1') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels: { app: 'a' } },
  data: { value: data },
});

/** Makes three Secrets, one after the other. */
const THREE = shellHook(
  CONFIG,
  `grep -q '"watchEvent":"Added"' "$BINDING_CONTEXT_PATH" || exit 0
for name in one two three; do
  echo '{"operation":"CreateOrUpdate","object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"'$name'","namespace":"default"}}}'
done > "$KUBERNETES_PATCH_PATH"`,
);

async function names(world: World, kind: string): Promise<readonly unknown[]> {
  const objects = await world.objects();
  return objects.filter((object) => object['kind'] === kind).map(({ metadata }) => Object(metadata).name);
}

function disturbed(world: World): readonly string[] {
  return only(world, 'disturbed').map(({ text }) => text);
}

describe('a disturbed world', () => {
  it('has 2 of 3 Secrets where the operator was killed after effect 2, and starts another operator', async () => {
    await using world = await rig.open({ 'three.sh': THREE }, { disturbance: { type: 'crash', afterEffect: 2 } });
    await world.act({ type: 'apply', object: map('a') });
    expect(await names(world, 'Secret')).toEqual(['one', 'two']);
    expect(disturbed(world)).toEqual(['killed: the operator, after effect 2 (create Secret default/two)']);
    // The next operator gives the hook a Synchronization.
    const last = only(world, 'run-started').at(-1);
    expect(last?.contexts).toMatchObject([{ type: 'Synchronization' }]);
    await world.act({ type: 'apply', object: map('b') });
    expect(await names(world, 'Secret')).toEqual(['one', 'two', 'three']);
  });

  it('does not deliver event 1, and a later event of the object shows its state', async () => {
    await using world = await rig.open({ 'maps.sh': shellHook(CONFIG) }, { disturbance: { type: 'skip', event: 1 } });
    await world.act({ type: 'apply', object: map('a', '1') });
    expect(only(world, 'run-started')).toHaveLength(1);
    expect(disturbed(world)).toEqual(['skipped: event 1 (ADDED ConfigMap default/a)']);
    await world.act({ type: 'apply', object: map('a', '2') });
    expect(only(world, 'run-started').at(-1)?.contexts).toMatchObject([{ object: { data: { value: '2' } } }]);
  });

  it('delivers event 1 twice, which runs no hook twice', async () => {
    await using world = await rig.open({ 'maps.sh': shellHook(CONFIG) }, { disturbance: { type: 'double', event: 1 } });
    await world.act({ type: 'apply', object: map('a') });
    expect(disturbed(world)).toEqual(['delivered twice: event 1 (ADDED ConfigMap default/a)']);
    expect(only(world, 'run-started')).toHaveLength(2);
  });

  it.each([409, 429, 500] as const)(
    'refuses request 1 with %i once, and what a hook asked is done in the end',
    async (how) => {
      await using world = await rig.open({ 'three.sh': THREE }, { disturbance: { type: 'refuse', request: 1, how } });
      await world.act({ type: 'apply', object: map('a') });
      await world.act({ type: 'tick', ms: 600_000 });
      expect(disturbed(world)).toHaveLength(1);
      expect(disturbed(world)[0]).toContain(`refused with ${how}: request 1 (`);
      expect(only(world, 'request')[0]).toMatchObject({ request: 1, by: 'hooklet', code: how });
      expect(await names(world, 'Secret')).toEqual(['one', 'two', 'three']);
    },
  );

  it('loses the answer to request 2 after it was carried out', async () => {
    await using world = await rig.open(
      { 'three.sh': THREE },
      { disturbance: { type: 'refuse', request: 2, how: 'timeout' } },
    );
    await world.act({ type: 'apply', object: map('a') });
    await world.act({ type: 'tick', ms: 600_000 });
    expect(only(world, 'request')[1]).toMatchObject({ request: 2, code: 0 });
    expect(await names(world, 'Secret')).toEqual(['one', 'two', 'three']);
  });

  it('starts an operator in the past, and shows it the present when it has acted', async () => {
    await using world = await rig.open({ 'maps.sh': shellHook(CONFIG) }, { disturbance: { type: 'stale', event: 2 } });
    await world.act({ type: 'apply', object: map('a', 'old') });
    await world.act({ type: 'apply', object: map('a', 'new') });
    const seen = only(world, 'run-started').map(({ contexts }) => JSON.stringify(contexts));
    expect(seen.at(-2)).toContain('"value":"old"');
    expect(seen.at(-2)).toContain('Synchronization');
    expect(seen.at(-1)).toContain('"value":"new"');
    expect(disturbed(world)).toHaveLength(3);
  });

  it('ends the operator before action 1 and starts it after, so that an event becomes a Synchronization', async () => {
    await using world = await rig.open({ 'maps.sh': shellHook(CONFIG) }, { disturbance: { type: 'down', action: 1 } });
    await world.act({ type: 'apply', object: map('a') });
    const [, second] = only(world, 'run-started');
    expect(second?.contexts).toMatchObject([
      { type: 'Synchronization', objects: [{ object: { data: { value: '1' } } }] },
    ]);
  });

  it('numbers the calls of stand-ins as effects, and kills the hook right after one', async () => {
    const standInsDir = writeHooks(rig.folder(), { pg_dump: '#!/bin/sh\necho "dumped $1"\nexit 3\n' });
    const hook = shellHook(CONFIG, 'pg_dump "a b" "x\'y"; echo "code $?"; pg_dump second; true');
    await using world = await rig.open({ 'dump.sh': hook }, { standInsDir });
    expect(only(world, 'call')).toMatchObject([
      { program: 'pg_dump', args: ['a b', "x'y"], exitCode: 3, hook: 'dump.sh', call: 1, effect: 1 },
      { program: 'pg_dump', args: ['second'], exitCode: 3, call: 2, effect: 2 },
    ]);
    expect(only(world, 'run-ended')[0]?.output).toEqual(['dumped a b', 'code 3', 'dumped second']);
    const disturbance = { type: 'crash', afterEffect: 1 } as const;
    await using crashed = await rig.open({ 'dump.sh': hook }, { standInsDir, disturbance });
    expect(only(crashed, 'call').map(({ args }) => args[0])).toEqual(['a b', 'a b', 'second']);
    expect(disturbed(crashed)).toEqual(["killed: the operator, after effect 1 (pg_dump a b x'y)"]);
  });

  it('knows the call of a warm hook, and waits for none that a hook makes for its config', async () => {
    const standInsDir = writeHooks(rig.folder(), { tool: '#!/bin/sh\ntrue\n' });
    const warm = `import { execFileSync } from 'node:child_process';
import { defineHook, onStartup } from 'hooklet';
export default defineHook({ bindings: { start: onStartup(1) }, run: () => void execFileSync('tool', ['warm']) });`;
    const config = shellHook(CONFIG).replace('then\ncat', 'then\ntool --config\ncat');
    const disturbance = { type: 'crash', afterEffect: 9 } as const;
    await using world = await rig.open({ 'a.sh': config, 'b.mjs': warm }, { standInsDir, disturbance });
    expect(only(world, 'call')).toMatchObject([{ program: 'tool', args: ['warm'], hook: 'b.mjs', effect: 1 }]);
  });

  it('lets call 1 of a stand-in fail, or say nothing', async () => {
    const standInsDir = writeHooks(rig.folder(), { tool: '#!/bin/sh\necho fine\n' });
    const hook = shellHook(CONFIG, 'tool 2>&1; echo "code $?"; tool');
    const outputs = [];
    for (const how of ['fail', 'empty'] as const) {
      await using world = await rig.open(
        { 't.sh': hook },
        { standInsDir, disturbance: { type: 'answer', call: 1, how } },
      );
      // Two streams, whose lines have no order between them.
      outputs.push(only(world, 'run-ended')[0]?.output.toSorted());
    }
    expect(outputs).toEqual([
      ['code 1', 'fine', 'this call fails, as a test asks'],
      ['code 0', 'fine'],
    ]);
  });
});
