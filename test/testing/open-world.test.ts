import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { assertMeets, assertObject, assertWritten, matchers, openWorld, runHook } from '../../src/testing/index.ts';
import type { TestWorld, WorldMatchers, WorldOptions } from '../../src/testing/public.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { shellHook, writeHooks } from '../support/world-hooks.ts';

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void>, T> extends WorldMatchers {}
}

expect.extend(matchers);

const MAPS = { configVersion: 'v1', kubernetes: [{ name: 'maps', apiVersion: 'v1', kind: 'ConfigMap' }] };
const NIGHTLY = { configVersion: 'v1', schedule: [{ name: 'nightly', crontab: '0 3 * * *' }] };
const SECRET = `cat > "$KUBERNETES_PATCH_PATH" <<'END'
{"operation": "CreateOrUpdate", "object": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "made", "namespace": "default"}}}
END
echo '{"name": "nights", "action": "add", "value": 1}' > "$METRICS_PATH"
echo "it is night"`;
const HOOKS = { 'nightly.sh': shellHook(NIGHTLY, SECRET), 'maps.sh': shellHook(MAPS) };
const MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
const MADE = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'made' } };

const home = temporaryFolder();
const folder = home.path;
mkdirSync(join(folder, 'hooks'));
writeHooks(join(folder, 'hooks'), HOOKS);
afterAll(() => home[Symbol.dispose]());

async function open(options: WorldOptions = {}): Promise<TestWorld> {
  return openWorld({ folder, ...options });
}

describe('a world of a test', () => {
  it('lets time pass, and shows the runs and writes of each action', async () => {
    await using world = await open({ clock: '2026-03-01T00:00:00Z' });
    const early = await world.tick('2h');
    const done = await world.tick(2 * 3_600_000);

    expect(early.runs()).toEqual([]);
    expect(done.runs()).toMatchObject([{ hook: 'nightly.sh', outcome: 'succeeded', output: ['it is night'] }]);
    expect(done.writes()).toMatchObject([
      { verb: 'create', by: 'hooklet', hook: 'nightly.sh', object: { name: 'made' } },
    ]);
    expect(new Date(world.nowMs).toISOString()).toBe('2026-03-01T04:00:00.000Z');
    expect(await world.get(MADE)).toMatchObject(MADE);
    expect(await world.list({ kind: 'Secret' })).toHaveLength(1);
    await expect(done).toHaveRun({ hook: 'nightly.sh', outcome: 'succeeded' });
    await expect(early).not.toHaveRun({ hook: 'nightly.sh' });
    await expect(world).toHaveObject(MADE);
    await expect(world).toHaveMetric({ name: 'nights', value: 1 });
    await assertWritten(world, { object: { kind: 'Secret' } });
    await assertMeets(done, { runs: 1, writes: 1, objects: [MADE] });
  });

  it('does what a user does, and answers', async () => {
    await using world = await open({ objects: [MAP] });
    const changed = await world.patch({ ...MAP, data: { key: 'new' } });

    expect(changed.answer?.code).toBe(200);
    await expect(changed).toHaveRun({ hook: 'maps.sh', contexts: [{ binding: 'maps', watchEvent: 'Modified' }] });
    await world.delete(MAP);
    expect(await world.get(MAP)).toBeUndefined();
    expect((await world.kill()).text()).toContain('killed');
    await world.trigger('nightly.sh/nightly');
    await expect(world).toHaveObject(MADE);
  });

  it('may be open beside 2 others, each with its own time and objects', async () => {
    await using stack = new AsyncDisposableStack();
    const worlds = await Promise.all([1, 2, 3].map(async () => stack.use(await open())));
    await Promise.all(worlds.map(async (world, index) => world.tick(`${index}h1s`)));
    await worlds[0]?.trigger('nightly.sh');

    expect(new Set(worlds.map(({ nowMs }) => nowMs)).size).toBe(3);
    expect(worlds.map((world) => world.runs().length)).toEqual([2, 1, 1]);
  });

  it('says what differs, with the timeline', async () => {
    await using world = await open();
    await world.trigger('nightly.sh');
    const failing = assertObject(world, { ...MADE, type: 'other' });

    await expect(failing).rejects.toMatchObject({ name: 'AssertionError', code: 'ERR_ASSERTION' });
    await expect(failing).rejects.toThrow(/type: expected "other", found "Opaque"[^]*timeline:[^]*run   nightly\.sh/);
    await expect(assertMeets(world, { writes: 5 })).rejects.toThrow('expected 5, found 1');
  });

  it('tells all that is wrong with what it is given', async () => {
    const wrong = { clock: 'noon', objects: [{ kind: 'Namespce', apiVersion: 'v1', metadata: { name: 'a' } }] };
    await expect(open(wrong)).rejects.toThrow(/openWorld:[^]*clock: got "noon"[^]*did you mean Namespace\?/);
    await expect(openWorld({ folder: '/nowhere' })).rejects.toThrow('openWorld: hooks: got no folder of hooks');

    await using world = await open({ clock: new Date('2026-03-01T00:00:00Z') });
    await expect(world.tick('1d')).rejects.toThrow('tick: got "1d", expected a duration');
    await expect(world.until('2026-02-01T00:00:00Z')).rejects.toThrow('it is 2026-03-01T00:00:00.000Z or later');
    await expect(world.trigger('nihgtly.sh')).rejects.toThrow('did you mean nightly.sh?');
    await expect(world.apply({ ...MAP, data: { key: 1 } })).rejects.toThrow('apply: refused with 500');
    await expect(assertMeets(world, { write: 1 } as object)).rejects.toThrow('unknown field, did you mean writes?');
    await expect(assertObject({} as TestWorld, MAP)).rejects.toThrow('expected a world of openWorld');
  });
});

describe('runHook', () => {
  it('runs a hook once with an event or contexts, and shows what it asked for', async () => {
    const file = join(folder, 'hooks', 'nightly.sh');
    const result = await runHook(file, { event: 'Schedule' });

    expect(result).toMatchObject({
      outcome: 'done',
      exit: 0,
      output: ['it is night'],
      contexts: [{ binding: 'nightly' }],
      patches: [{ operation: 'CreateOrUpdate', object: MADE }],
      metrics: [{ name: 'nights' }],
    });
    const { contexts } = await runHook(join(folder, 'hooks', 'maps.sh'), { event: 'Added', object: MAP });
    expect(contexts).toMatchObject([{ binding: 'maps', watchEvent: 'Added', object: MAP }]);
    await expect(runHook(file, {})).rejects.toThrow('one of event and contexts');
  });

  it('tells how a hook failed', async () => {
    writeHooks(folder, { 'fails.sh': shellHook(NIGHTLY, 'echo "no disk"; exit 3') });

    const result = await runHook(join(folder, 'fails.sh'), { contexts: [{ binding: 'nightly', type: 'Schedule' }] });

    expect(result).toMatchObject({ outcome: 'failed', exit: 3, output: ['no disk'] });
    expect(result.message).toContain('exit code 3');
  });
});
