import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import type { KubeRequest } from '../../src/kube/client.ts';
import { Activity } from '../../src/operator/page/activity.ts';
import { ReviewedAccess } from '../../src/operator/page/page-access.ts';
import type { PageUser } from '../../src/server/page/access.ts';
import { RunHistory } from '../../src/run/history.ts';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { historyRig } from '../support/run-history.ts';

/** An API server that knows the user `ann`, who may list runs. */
function accessRig() {
  const state = { nowMs: 0, isDown: false };
  const asked: string[] = [];
  const client = {
    async request({ path, body = '' }: KubeRequest): Promise<unknown> {
      if (state.isDown) throw new Error('no API server');
      const { spec } = JSON.parse(String(body));
      if (path.endsWith('/tokenreviews')) {
        asked.push(`token ${spec.token}`);
        const user = { username: spec.token === 'anon' ? 'system:anonymous' : 'ann', groups: ['team'], uid: 'u1' };
        return { status: ['good', 'anon'].includes(spec.token) ? { authenticated: true, user } : {} };
      }
      const { verb, resource, group, namespace, name } = spec.resourceAttributes;
      asked.push(`${spec.user} ${spec.groups} ${spec.uid} ${verb} ${resource}.${group} ${name ?? '*'} in ${namespace}`);
      return { status: { allowed: verb === 'list' } };
    },
  };
  const access = new ReviewedAccess({ client, namespace: 'hooklet', now: () => state.nowMs });
  const userOf = async (token: string, source = 'client') => access.userOf(token, source);
  const ann = async (): Promise<PageUser> => {
    const answer = await userOf('good');
    if (answer.type !== 'known') throw new Error('ann is not known');
    return answer.user;
  };
  return { state, asked, access, userOf, ann };
}

describe('the rights of the page', () => {
  it('are asked of the API server for the user of the token, in the namespace of the operator', async () => {
    const { asked, access, ann } = accessRig();

    expect(await access.may(await ann(), { verb: 'list', resource: 'runs' })).toBe(true);
    expect(await access.may(await ann(), { verb: 'pause', resource: 'hooks', name: 'a.sh' })).toBe(false);
    expect(asked).toEqual([
      'token good',
      'ann team u1 list runs.hooks.hooklet.dev * in hooklet',
      'ann team u1 pause hooks.hooks.hooklet.dev a.sh in hooklet',
    ]);
  });

  it('of a known token are remembered for 60 s, what is allowed for 5 min, what is denied for 30 s', async () => {
    const { state, asked, access, ann } = accessRig();
    const askedAt = async (seconds: number): Promise<readonly string[]> => {
      state.nowMs = seconds * 1000;
      asked.length = 0;
      const user = await ann();
      await access.may(user, { verb: 'list', resource: 'runs' });
      await access.may(user, { verb: 'drop', resource: 'runs' });
      return asked.map((one) => /token|list|drop/.exec(one)?.[0] ?? '');
    };

    expect(await askedAt(0)).toEqual(['token', 'list', 'drop']);
    expect(await askedAt(29)).toEqual([]);
    expect(await askedAt(31)).toEqual(['drop']);
    expect(await askedAt(60)).toEqual(['token']);
    expect(await askedAt(299)).toEqual(['token', 'drop']);
    expect(await askedAt(301)).toEqual(['list']);
  });

  it('are none of a user that the API server calls anonymous, or does not know', async () => {
    const { userOf, access } = accessRig();

    expect(await userOf('anon')).toEqual({ type: 'unknown' });
    expect(await userOf('bad')).toEqual({ type: 'unknown' });
    expect(await access.may({ name: 'ann', groups: [] }, { verb: 'list', resource: 'runs' })).toBe(false);
  });

  it('are asked once for requests at the same time, and again after a failure', async () => {
    const { state, asked, userOf } = accessRig();
    state.isDown = true;
    await expect(userOf('good')).rejects.toThrow('no API server');
    state.isDown = false;

    const answers = await Promise.all([userOf('good'), userOf('good'), userOf('good')]);
    expect(answers.map(({ type }) => type)).toEqual(['known', 'known', 'known']);
    expect(asked).toEqual(['token good']);
  });

  it('of a known user are still asked while a stranger sends many tokens', async () => {
    const { state, userOf } = accessRig();
    await userOf('good');
    const strange = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => userOf(`bad ${index}`, 'stranger')),
    );
    expect(strange.filter(({ type }) => type === 'unknown')).toHaveLength(10);
    expect(strange.at(-1)).toEqual({ type: 'busy', retryAfterS: 2 });

    state.nowMs = 61_000;
    expect((await userOf('good', 'stranger')).type).toBe('known');
  });
});

describe('the curves of the page', () => {
  it('have a point for each minute of the last 360', async () => {
    let nowMs = 0;
    const activity = new Activity(
      () => nowMs,
      async (delayMs) => void (nowMs += delayMs),
    );
    const history = new RunHistory({ now: () => 0 });
    const { start, fail, succeed } = historyRig(history, activity);
    fail(start('a'));
    succeed(start('b'));
    const stop = new AbortController();
    let minutes = 0;
    let first: unknown;
    await activity.run(() => {
      minutes += 1;
      first ??= activity.minutes[0];
      if (minutes === 400) stop.abort();
      return 7;
    }, stop.signal);

    expect(activity.minutes).toHaveLength(360);
    expect(first).toEqual({ atMs: 60_000, runs: 2, failures: 1, waitMs: 0, queued: 7 });
    expect(activity.minutes.at(-1)).toEqual({ atMs: 400 * 60_000, runs: 0, failures: 0, waitMs: 0, queued: 7 });
  });
});

describe('the page of an operator', () => {
  it('shows its runs and hooks, and an action on it is an Event and a line of the log', async () => {
    const sandbox = await sandboxForTest();
    const schedule = { configVersion: 'v1', schedule: [{ name: 'nightly', crontab: '0 0 1 1 *' }] };
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'backup.sh': recordingHook(schedule, 'echo done') },
      env: { POD_NAME: 'hooklet-0', POD_NAMESPACE: 'default' },
      operator: { page: { address: '127.0.0.1', port: 0, hosts: [], isOpen: true } },
    });
    const page = (): unknown => operator.lines.find(({ fields }) => fields['page'] !== undefined)?.fields['page'];
    await until(() => expect(page()).toBeDefined());
    const url = String(page()).replace('localhost', '127.0.0.1');
    const textOf = async (path: string): Promise<string> => (await fetch(`${url}${path}`)).text();
    await until(async () => expect(await textOf('/schedules')).toContain('nightly'));

    const form = await textOf('/confirm?do=trigger&hook=backup.sh&binding=nightly');
    const fields = [...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value],
    );
    const done = await fetch(`${url}/act`, {
      method: 'POST',
      headers: { origin: url },
      body: new URLSearchParams(Object.fromEntries(fields)),
    });
    expect(await done.text()).toContain('Runs now as nightly-');
    await until(async () => expect(await textOf('/runs')).toContain('succeeded'));
    expect(await textOf('/hooks')).toContain('working');
    expect(await textOf('/replicas')).toContain('hooklet-0');
    expect(await textOf('/watches')).toContain('No hook watches');

    expect(operator.lines).toContainEqual(
      expect.objectContaining({
        message: 'action on the page',
        fields: expect.objectContaining({ user: 'local developer' }),
      }),
    );
    const events = async () => JSON.stringify((await sandbox.call('GET', '/api/v1/namespaces/default/events')).body);
    await until(async () =>
      expect(await events()).toContain('local developer: Run now: schedule nightly of backup.sh'),
    );
    expect(await events()).toContain('"reason":"WebAction"');
  });

  it('is shown while the operator waits for its last run, and ends with it', async () => {
    const sandbox = await sandboxForTest();
    using folder = temporaryFolder();
    const go = join(folder.path, 'go');
    const body = `while [ ! -e '${go}' ]; do sleep 0.05; done`;
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'slow.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }, body) },
      operator: { page: { address: '127.0.0.1', port: 0, hosts: [], isOpen: true } },
    });
    const page = (): unknown => operator.lines.find(({ fields }) => fields['page'] !== undefined)?.fields['page'];
    await until(() => expect(page()).toBeDefined());
    const url = String(page()).replace('localhost', '127.0.0.1');
    const textOf = async (path: string): Promise<string> => (await fetch(`${url}${path}`)).text();
    await until(async () => expect(await textOf('/')).toContain('slow.sh'));
    const stream = await fetch(`${url}/events?at=/`);

    const stopped = operator.stop();
    expect(await textOf('/')).toContain('slow.sh');
    expect((await fetch(`${url}/replicas`)).status).toBe(200);
    writeFileSync(go, '');
    await stopped;
    expect(await stream.text()).toContain('slow.sh');
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });
});
