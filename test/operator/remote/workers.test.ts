import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { expect, it } from 'vitest';
import { sandboxCluster, startOperator, until } from '../../support/operator-rig.ts';
import { mapNamed, ON_MAPS, remoteRig, remoteSettings, workersHook } from '../../support/remote-rig.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
/** So long that no worker counts as silent because the machine is busy. */
const PATIENT_MS = 30_000;

it('a run is executed by a worker, and the operator applies what it wrote and logs what it printed', async () => {
  const create = {
    operation: 'CreateOrUpdate',
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made', namespace: 'default' } },
  };
  const rig = await remoteRig({
    silenceMs: PATIENT_MS,
    hooks: {
      'make.sh': workersHook(
        { onStartup: 1 },
        `echo "made by $WHO"
cat > "$KUBERNETES_PATCH_PATH" <<PATCH
${JSON.stringify({ ...create, object: { ...create.object, data: { who: '$WHO', attempt: '1' } } })}
PATCH`,
      ),
    },
  });
  const operator = await rig.operator();
  await rig.worker('w1', [operator.url]);

  await until(async () => expect(await rig.object(`${MAPS}/made`)).toMatchObject({ data: { who: 'w1' } }));
  await until(() => expect(JSON.stringify(operator.lines)).toContain('"made by w1"'));
});

it('hooks that follow each other do so over two workers, which each get some', async () => {
  const hooks = Object.fromEntries(
    [1, 2, 3, 4, 5, 6].map((number) => [
      `${number}.sh`,
      workersHook(
        { onStartup: number },
        `echo "begin ${number}" >> "$OUT/order"; echo "$WHO" >> "$OUT/who"; echo "end ${number}" >> "$OUT/order"`,
      ),
    ]),
  );
  const rig = await remoteRig({ silenceMs: PATIENT_MS, hooks });
  const operator = await rig.operator();
  await Promise.all([rig.worker('w1', [operator.url]), rig.worker('w2', [operator.url])]);

  await until(() => expect(rig.lines('order')).toHaveLength(12));
  expect(rig.lines('order')).toEqual([1, 2, 3, 4, 5, 6].flatMap((number) => [`begin ${number}`, `end ${number}`]));
  expect(rig.lines('who').every((who) => ['w1', 'w2'].includes(who))).toBe(true);
});

it('an object is never in two runs at once, while 3 objects change 10 times on two workers with 4 places each', async () => {
  const kubernetes = ON_MAPS.kubernetes.map((binding) => ({
    ...binding,
    concurrency: 'byObject',
    parallelism: 6,
    executeHookOnSynchronization: false,
  }));
  const body = `name=$(sed -n 's/.*"name":"\\([a-c]\\)".*/\\1/p' "$BINDING_CONTEXT_PATH" | head -n 1)
mkdir "$OUT/in-$name" || echo "$name is in two runs" >> "$OUT/wrong"
sleep 0.05
cp "$BINDING_CONTEXT_PATH" "$OUT/last-$name"
rmdir "$OUT/in-$name"
echo "$name" >> "$OUT/runs"`;
  const rig = await remoteRig({ silenceMs: PATIENT_MS, hooks: { 'each.sh': workersHook({ kubernetes }, body) } });
  const operator = await rig.operator();
  await Promise.all([rig.worker('w1', [operator.url], 4), rig.worker('w2', [operator.url], 4)]);
  await until(() => expect(operator.status().hooks.starting).toEqual([]));

  for (let round = 1; round <= 10; round += 1) {
    for (const name of ['a', 'b', 'c']) await rig.sandbox.apply(mapNamed(name, `round ${round}.`));
    await until(() => expect(rig.lines('runs').length).toBeGreaterThanOrEqual(round));
  }

  await until(() => {
    for (const name of ['a', 'b', 'c']) expect(rig.read(`last-${name}`)).toContain('round 10.');
    expect(operator.status().queues).toEqual([]);
  });
  expect(rig.read('wrong')).toBe('');
});

it('a run whose worker is killed is executed by another one after the silence, as the same attempt', async () => {
  const body = `echo "$WHO" >> "$OUT/who"
[ "$WHO" = w2 ] || sleep 600
printf '{"name": "done", "action": "add", "value": 1}' > "$METRICS_PATH"`;
  const rig = await remoteRig({ silenceMs: 3000, hooks: { 'long.sh': workersHook({ onStartup: 1 }, body) } });
  const operator = await rig.operator();
  const first = await rig.workerProcess('w1', [operator.url]);
  await until(() => expect(rig.lines('who')).toEqual(['w1']));
  await rig.worker('w2', [operator.url]);

  first.signal('SIGKILL', 'group');

  await until(() => expect(rig.lines('who')).toEqual(['w1', 'w2']));
  await until(() => expect(operator.lines.filter(({ message }) => message === 'hook finished')).toHaveLength(1));
  expect(operator.lines.filter(({ fields }) => fields['attempt'] === 2)).toEqual([]);
});

it('a worker with other hooks than the operator gets no run, and is shown as such, until one with the same comes', async () => {
  const rig = await remoteRig({
    silenceMs: PATIENT_MS,
    hooks: { 'a.sh': workersHook(ON_MAPS, 'echo "$WHO" >> "$OUT/who"') },
  });
  const operator = await rig.operator();
  const old = await rig.worker('w1', [operator.url]);
  await until(() => expect(rig.lines('who')).toEqual(['w1']));

  operator.change('a.sh', workersHook(ON_MAPS, 'echo "$WHO again" >> "$OUT/who"'));
  await until(() => expect(operator.status().pools).toMatchObject([{ pool: 'default', workers: 0, outdated: 1 }]));
  await rig.sandbox.apply(mapNamed('a'));
  await until(() => expect(operator.status().pools).toMatchObject([{ waiting: 1 }]));
  await rig.worker('w2', [operator.url]);

  await until(() => expect(rig.lines('who').at(-1)).toBe('w2 again'));
  expect(rig.lines('who').filter((who) => who.startsWith('w1'))).toEqual(['w1']);
  expect(old.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

it('a dry run executes hooks for workers in the Pod of the operator, and waits for none', async () => {
  await using sandbox = await sandboxForTest();
  const body = 'echo "$WHO" > "$OUT/who"';
  await using operator = startOperator({
    hooks: { 'a.sh': workersHook({ onStartup: 1 }, body) },
    connect: sandboxCluster(sandbox),
    env: { WHO: 'operator' },
    operator: { remote: remoteSettings(PATIENT_MS), dryRun: {} },
  });

  await until(() => expect(readFileSync(join(operator.out, 'who'), 'utf8')).toBe('operator\n'));
});

it('a Pod of another ServiceAccount gets no run', async () => {
  const rig = await remoteRig({
    silenceMs: PATIENT_MS,
    hooks: { 'a.sh': workersHook({ onStartup: 1 }, 'echo "$WHO" >> "$OUT/who"') },
  });
  const operator = await rig.operator();

  const stranger = await rig.worker('stranger', [operator.url]);

  await until(() => expect(JSON.stringify(stranger.lines)).toContain('default/default may not work'));
  expect(rig.read('who')).toBe('');
  expect(operator.status().pools).toMatchObject([{ workers: 0, outdated: 0, waiting: 1 }]);
});
