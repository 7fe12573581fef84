import { createHmac } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { shellHook } from '../support/world-hooks.ts';
import { only, START_MS, worldRig } from '../support/world-rig.ts';

const rig = worldRig();
afterAll(async () => rig[Symbol.asyncDispose]());

const MAPS = { configVersion: 'v1', kubernetes: [{ name: 'maps', apiVersion: 'v1', kind: 'ConfigMap' }] };
const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });

describe('actions of a world', () => {
  it('trigger a schedule, and say which hooks there are', async () => {
    const hook = shellHook({ configVersion: 'v1', schedule: [{ name: 'nightly', crontab: '0 3 * * *' }] });
    await using world = await rig.open({ 'n.sh': hook });
    await world.act({ type: 'trigger', hook: 'n.sh', binding: 'nightly' });
    expect(only(world, 'run-started')).toMatchObject([{ contexts: [{ binding: 'nightly', reason: 'manual' }] }]);
    await expect(world.act({ type: 'trigger', hook: 'm.sh', binding: 'nightly' })).rejects.toThrow(
      'did you mean n.sh?',
    );
  });

  it('run every binding again', async () => {
    const config = { ...MAPS, onStartup: 1, schedule: [{ name: 'nightly', crontab: '0 3 * * *' }] };
    await using world = await rig.open({ 'all.sh': shellHook(config) });
    const { from, to } = await world.act({ type: 'again' });
    const runs = world.timeline.slice(from, to).filter((moment) => moment.type === 'run-started');
    expect(runs.flatMap(({ contexts }) => contexts)).toMatchObject([
      { binding: 'onStartup' },
      { type: 'Synchronization' },
      { binding: 'nightly' },
    ]);
  });

  it('ask an admission webhook as a user, and write what it allows', async () => {
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
    const config = { configVersion: 'v1', kubernetesValidating: [{ name: 'judge.example.com', rules: [rule] }] };
    const body = `
if grep -q '"name":"bad"' "$BINDING_CONTEXT_PATH"; then echo '{"allowed":false,"message":"bad name"}'; else echo '{"allowed":true,"warnings":["no \\"owner\\", übel"]}'; fi > "$VALIDATING_RESPONSE_PATH"`;
    await using world = await rig.open({ 'judge.sh': shellHook(config, body) });
    const user = { username: 'jane', groups: ['dev'] };
    const bad = await world.act({ type: 'admit', operation: 'CREATE', object: map('bad'), user });
    expect(bad.answer).toMatchObject({ code: 403, body: { message: expect.stringContaining('bad name') } });
    const good = await world.act({ type: 'admit', operation: 'CREATE', object: map('good'), user });
    expect(good.answer).toMatchObject({ code: 201, warnings: ['no "owner", übel'] });
    const review = JSON.stringify(only(world, 'run-started')[0]?.contexts);
    expect(review).toContain('"username":"jane"');
    expect((await world.objects()).some(({ metadata }) => Object(metadata).name === 'good')).toBe(true);
  });

  it('let 1 day pass in 1 action while an admission webhook is served', async () => {
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
    const config = { configVersion: 'v1', kubernetesValidating: [{ name: 'judge.example.com', rules: [rule] }] };
    await using world = await rig.open({ 'judge.sh': shellHook(config) });
    await world.act({ type: 'tick', ms: 86_400_000 });

    expect(world.nowMs).toBe(START_MS + 86_400_000);
  });

  it('run a hook at the instant of a change, also where its filter takes longer than the event loop lets it', async () => {
    const slow = { ...MAPS.kubernetes[0], jqFilter: '[range(1000000)] | length' };
    await using world = await rig.open({ 'm.sh': shellHook({ configVersion: 'v1', kubernetes: [slow] }) });
    await world.act({ type: 'apply', object: map('a') });

    expect(only(world, 'run-started').at(-1)).toMatchObject({ atMs: START_MS, contexts: [{ watchEvent: 'Added' }] });
  });

  it('request an http binding, whose secret is in a volume that outlives the operator', async () => {
    const given = { volumes: { keys: { secret: 'key' } }, env: { SECRET_FILE: '$(VOLUMES)/keys/secret' } };
    const body0 = `if [ "\${1:-}" = --config ]; then
  echo "{configVersion: v1, http: [{name: build, authentication: {type: github, secretFile: '$SECRET_FILE'}}]}"
fi`;
    await using world = await rig.open({ 'web.sh': `#!/bin/sh\n${body0}\n` }, given);
    await world.act({ type: 'killOperator' });
    const body = '{"a":1}';
    const headers = { 'X-Hub-Signature-256': `sha256=${createHmac('sha256', 'key').update(body).digest('hex')}` };
    const acted = await world.act({ type: 'http', method: 'POST', path: '/trigger/web.sh/build', headers, body });
    expect(acted.answer?.code).toBe(202);
    expect(only(world, 'run-started')).toHaveLength(1);
  });

  it('kill a hook after 1 of its writes, whose next attempt goes on from there', async () => {
    const body = `grep -q '"watchEvent":"Added"' "$BINDING_CONTEXT_PATH" || exit 0
post() { curl -sf -H "Content-Type: application/json" -H "Authorization: Bearer $(sed -n 's/ *token: //p' "$KUBECONFIG")" -d "$2" "$(sed -n 's/ *server: //p' "$KUBECONFIG")$1"; }
post /api/v1/namespaces/default/secrets '{"metadata":{"generateName":"s-"}}'
post /api/v1/namespaces/default/secrets '{"metadata":{"generateName":"s-"}}'`;
    await using world = await rig.open({ 'two.sh': shellHook(MAPS, body) });
    await world.act({ type: 'killHook', hook: 'two.sh', afterEffects: 1 });
    const { from, to } = await world.act({ type: 'apply', object: map('a') });
    const moments = world.timeline.slice(from, to);
    const writes = moments.filter((moment) => moment.type === 'write' && moment.by === 'hook');
    const run = moments.find((moment) => moment.type === 'run-started')?.run;
    expect(writes).toMatchObject([{ run, verb: 'create', effect: 1 }]);
    expect(only(world, 'run-ended').at(-1)).toMatchObject({ outcome: 'failed', next: 'retry' });
    await world.act({ type: 'tick', ms: 60_000 });
    expect(only(world, 'write').filter(({ by }) => by === 'hook')).toHaveLength(3);
  });

  it('kill a hook before its 1st effect when another operator starts it', async () => {
    await using world = await rig.open({ 'first.sh': shellHook({ configVersion: 'v1', onStartup: 1 }) });
    await world.act({ type: 'killHook', hook: 'first.sh', afterEffects: 0 });
    const { from, to } = await world.act({ type: 'restart' });
    const ends = world.timeline.slice(from, to).filter((moment) => moment.type === 'run-ended');
    expect(ends).toMatchObject([{ hook: 'first.sh', outcome: 'failed', next: 'retry' }]);
  });

  it('end the operator as SIGKILL does, and let it start again after 1 h', async () => {
    await using world = await rig.open({ 'maps.sh': shellHook(MAPS) });
    await world.act({ type: 'killOperator' });
    expect(only(world, 'run-started')).toHaveLength(2);
    await world.act({ type: 'restart', downMs: 3_600_000 });
    expect(only(world, 'run-started')).toHaveLength(3);
    expect(world.nowMs).toBe(START_MS + 3_600_000);
  });

  it('have the operator list all again, which runs no hook where nothing changed', async () => {
    await using world = await rig.open({ 'maps.sh': shellHook(MAPS) }, { objects: [map('a')] });
    await world.act({ type: 'relist' });
    await world.act({ type: 'tick', ms: 60_000 });
    await world.act({ type: 'apply', object: map('b') });
    expect(only(world, 'run-started')).toHaveLength(2);
  });

  it('leave the same uids and generated names in two worlds of one seed', async () => {
    const body = `echo '{"operation":"Create","object":{"apiVersion":"v1","kind":"Secret","metadata":{"generateName":"s-","namespace":"default"}}}' > "$KUBERNETES_PATCH_PATH"`;
    const left = async (given: { readonly seed?: string }): Promise<string> => {
      await using world = await rig.open({ 'a.sh': shellHook(MAPS, body) }, { ...given, objects: [map('a')] });
      const objects = await world.objects();
      return JSON.stringify(objects.map(({ metadata }) => [Object(metadata).name, Object(metadata).uid]));
    };
    const [one, other, third] = [await left({}), await left({}), await left({ seed: '2' })];

    expect(one).toMatch(/\["a",".{36}"\],\["s-.{5}",".{36}"\]/);
    expect(other).toBe(one);
    expect(third).not.toBe(one);
  });

  it('name an option that start does not have', async () => {
    const opening = rig.open({ 'maps.sh': shellHook(MAPS) }, { options: { 'retry-dela': '1s' } });
    await expect(opening).rejects.toThrow('option retry-dela: unknown');
  });

  it('show the metrics', async () => {
    await using world = await rig.open({ 'maps.sh': shellHook(MAPS) });
    expect(await world.metrics()).toContain('hook="maps.sh"');
  });
});

const ASK = `api() { curl -s -m 20 -H "Authorization: Bearer $(sed -n 's/ *token: //p' "$KUBECONFIG")" "$(sed -n 's/ *server: //p' "$KUBECONFIG")$1"; }
grep -q '"watchEvent":"Added"' "$BINDING_CONTEXT_PATH" || exit 0
date -u +%T; api /api/v1/namespaces/default/secrets | grep -o SecretList; date -u +%T`;

describe('a delay of answers', () => {
  it('of 90 s is seen by a request of a hook itself, in virtual time', async () => {
    await using world = await rig.open({ 'asks.sh': shellHook(MAPS, ASK) });
    await world.act({
      type: 'fault',
      fault: { type: 'delay', delayMs: 90_000, path: '/api/v1/namespaces/default/secrets' },
    });
    await world.act({ type: 'apply', object: map('a') });

    expect(only(world, 'run-ended').at(-1)?.output).toEqual(['00:30:00', 'SecretList', '00:31:30']);
    expect(world.nowMs).toBe(START_MS + 90_000);
  });

  it('of 3 s is waited for where hooklet asks', async () => {
    const patch = `grep -q '"watchEvent":"Added"' "$BINDING_CONTEXT_PATH" || exit 0
echo '{"operation":"CreateIfNotExists","object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"made","namespace":"default"}}}' > "$KUBERNETES_PATCH_PATH"`;
    await using world = await rig.open({ 'makes.sh': shellHook(MAPS, patch) });
    await world.act({
      type: 'fault',
      fault: { type: 'delay', delayMs: 3000, path: '/api/v1/namespaces/default/secrets' },
    });
    await world.act({ type: 'apply', object: map('a') });

    expect(only(world, 'run-ended').at(-1)?.outcome).toBe('succeeded');
    expect(world.nowMs).toBe(START_MS + 3000);
  });
});
