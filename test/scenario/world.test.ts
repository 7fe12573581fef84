import { afterAll, describe, expect, it } from 'vitest';
import { shellHook } from '../support/world-hooks.ts';
import { only, START_MS, worldRig } from '../support/world-rig.ts';

const HOUR_MS = 3_600_000;
const rig = worldRig();
afterAll(async () => rig[Symbol.asyncDispose]());
const open: typeof rig.open = async (hooks, given) => rig.open(hooks, given);

const CONFIG_MAPS = { configVersion: 'v1', kubernetes: [{ name: 'maps', apiVersion: 'v1', kind: 'ConfigMap' }] };
const HOURLY = { configVersion: 'v1', schedule: [{ name: 'hourly', crontab: '0 * * * *' }] };
const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });

describe('a world', () => {
  it('runs a schedule 24 times in 24 virtual hours', async () => {
    await using world = await open({ 'tick.sh': shellHook(HOURLY) });
    await world.act({ type: 'tick', ms: 24 * HOUR_MS });
    expect(only(world, 'run-started')).toHaveLength(24);
    expect(only(world, 'run-started').map(({ atMs }) => (atMs - START_MS) / HOUR_MS)).toEqual(
      Array.from({ length: 24 }, (_, hour) => hour + 0.5),
    );
    expect(world.nowMs).toBe(START_MS + 24 * HOUR_MS);
  });

  it('passes 100 days without work in less than 1 s', async () => {
    await using world = await open({ 'maps.sh': shellHook(CONFIG_MAPS) });
    const before = performance.now();
    await world.act({ type: 'tick', ms: 100 * 24 * HOUR_MS });
    expect(performance.now() - before).toBeLessThan(1000);
    const { from, to } = await world.act({ type: 'apply', object: map('late') });
    expect(world.timeline.slice(from, to).filter(({ type }) => type === 'run-started')).toHaveLength(1);
  });

  it('has run the hooks, and written what they asked, when an action is over', async () => {
    const body = `
if grep -q '"watchEvent":"Added"' "$BINDING_CONTEXT_PATH"; then
  echo '{"operation":"CreateIfNotExists","object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"made","namespace":"default"}}}' > "$KUBERNETES_PATCH_PATH"
fi`;
    await using world = await open({ 'copy.sh': shellHook(CONFIG_MAPS, body) });
    const acted = await world.act({ type: 'apply', object: map('a') });
    expect(acted.answer?.code).toBe(201);
    const moments = world.timeline.slice(acted.from, acted.to);
    expect(moments.map(({ type }) => type).filter((type) => !['log', 'request', 'delivered'].includes(type))).toEqual([
      'action',
      'write',
      'run-started',
      'write',
      'run-ended',
    ]);
    const [byAuthor, byHook] = only(world, 'write');
    expect(byAuthor).toMatchObject({ by: 'scenario', verb: 'apply', isChange: true, object: { name: 'a' } });
    const run = only(world, 'run-started').at(-1)?.run;
    expect(byHook).toMatchObject({
      by: 'hooklet',
      run,
      verb: 'create',
      code: 201,
      effect: 1,
      object: { name: 'made' },
    });
    expect((await world.objects()).map(({ kind }) => kind)).toEqual(['ConfigMap', 'Secret']);
  });

  it('writes nothing after rest', async () => {
    const body = `kubectl_ran=$(date +%s); echo '{"operation":"CreateOrUpdate","object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"made","namespace":"default"}}}' > "$KUBERNETES_PATCH_PATH"`;
    await using world = await open({ 'copy.sh': shellHook(CONFIG_MAPS, body) });
    await world.act({ type: 'apply', object: map('a') });
    const { length } = world.timeline;
    const { from, to } = await world.act({ type: 'settle' });
    expect(world.timeline.slice(from, to).map(({ type }) => type)).toEqual(['action']);
    expect(from).toBe(length);
  });

  it('stands still while a hook runs', async () => {
    await using world = await open({ 'slow.sh': shellHook(CONFIG_MAPS, 'sleep 0.3') });
    await world.act({ type: 'apply', object: map('a') });
    expect(new Set(world.timeline.map(({ atMs }) => atMs))).toEqual(new Set([START_MS]));
    expect(world.nowMs).toBe(START_MS);
  });

  it('is at rest while a failed run waits for its next attempt, which a tick reaches', async () => {
    await using world = await open(
      {
        'fails.sh': shellHook(
          CONFIG_MAPS,
          '[ "$(cat $OUT/count 2>/dev/null)" = x ] || { printf x > $OUT/count; exit 1; }',
        ),
      },
      { env: { OUT: rig.folder() } },
    );
    expect(only(world, 'run-ended')).toMatchObject([{ outcome: 'failed', exitCode: 1, next: 'retry' }]);
    await world.act({ type: 'tick', ms: 60_000 });
    expect(only(world, 'run-ended').map(({ outcome }) => outcome)).toEqual(['failed', 'succeeded']);
    const [first, second] = only(world, 'run-started');
    expect(second?.attempt).toBe(2);
    expect(second?.atMs).toBeGreaterThan(first?.atMs ?? 0);
  });

  it('shares nothing with another one', async () => {
    await using one = await open({ 'maps.sh': shellHook(CONFIG_MAPS) });
    await using other = await open({ 'maps.sh': shellHook(CONFIG_MAPS) }, { objects: [map('given')], startMs: 0 });
    await Promise.all([one.act({ type: 'apply', object: map('a') }), other.act({ type: 'tick', ms: 1000 })]);
    expect((await one.objects()).map(({ metadata }) => metadata)).toMatchObject([{ name: 'a' }]);
    expect((await other.objects()).map(({ metadata }) => metadata)).toMatchObject([{ name: 'given' }]);
    expect([one.nowMs, other.nowMs]).toEqual([START_MS, 1000]);
  });

  it('is not opened with a broken hook, which the error names', async () => {
    const opening = open({ 'broken.sh': '#!/bin/sh\necho "{configVersion: v2}"\n' });
    await expect(opening).rejects.toMatchObject({
      name: 'ScenarioError',
      message: expect.stringContaining('broken.sh'),
    });
  });

  it('gives up a hook that hangs after its limit, and says which', async () => {
    const opening = open({ 'hangs.sh': shellHook(CONFIG_MAPS, 'sleep 60') }, { limitMs: 4000 });
    await expect(opening).rejects.toMatchObject({
      name: 'ScenarioError',
      message: 'the world does not come to rest: hooks run: hangs.sh',
    });
  });

  it('gives up a crontab of seconds over ten years after as many runs as it may have, and says what to do', async () => {
    const schedule = [{ name: 'tick', crontab: '* * * * * *' }];
    const hooks = { 'ticks.sh': shellHook({ configVersion: 'v1', schedule }) };
    await using world = await open(hooks, { limits: { runs: 20 } });
    await expect(world.act({ type: 'tick', ms: 87_600 * 3_600_000 })).rejects.toMatchObject({
      name: 'ScenarioError',
      message:
        'more than 20 runs in the story, by 2026-03-01T00:30:21.000Z of its clock (ticks.sh ran 21 times): let less ' +
        'time pass or the hooks run less often, or set given.limits.runs, at most 10000',
    });
  });

  it('gives up hooks that write more than they may', async () => {
    const metadata = { name: 'a-$RUN_ID', namespace: 'default' };
    const operation = { operation: 'Create', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata } };
    const body = `cat <<PATCH > "$KUBERNETES_PATCH_PATH"\n${JSON.stringify(operation)}\nPATCH`;
    const schedule = [{ name: 'tick', crontab: '* * * * * *' }];
    const hooks = { 'writes.sh': shellHook({ configVersion: 'v1', schedule }, body) };
    await using world = await open(hooks, { limits: { writes: 2 } });
    await expect(world.act({ type: 'tick', ms: 60_000 })).rejects.toMatchObject({
      name: 'ScenarioError',
      message: expect.stringMatching(/^more than 2 writes in the story, .*\(writes\.sh ran 3 times\)/),
    });
  });
});
