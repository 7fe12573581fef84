import { describe, expect, it } from 'vitest';
import { ConfigMapStore } from '../../src/state/config-map-store.ts';
import { recordingHook, startOperator } from '../support/operator-rig.ts';
import { connectAs, handsOn, until, type Hands } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();
const never = new AbortController().signal;
const RBAC = 'rbac.authorization.k8s.io';

/** Lets the user nobody persist schedules in the namespace, with the rule in the documentation. */
async function grant({ call, namespace }: Hands): Promise<void> {
  const path = `/apis/${RBAC}/v1/namespaces/${namespace}`;
  const common = { apiVersion: `${RBAC}/v1`, metadata: { name: 'schedule-state' } };
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'patch'] }];
  await call('POST', `${path}/roles`, { ...common, kind: 'Role', rules });
  const roleRef = { apiGroup: RBAC, kind: 'Role', name: 'schedule-state' };
  const subjects = [{ apiGroup: RBAC, kind: 'User', name: 'nobody' }];
  await call('POST', `${path}/rolebindings`, { ...common, kind: 'RoleBinding', roleRef, subjects });
}

describe('the state of schedules on a real API server', () => {
  it('is written by the one that has seen the last of it', async () => {
    const { client, namespace, call, maps } = await handsOn(plane);
    const at = { namespace, name: 'schedules', option: '--schedule-state' };
    const [one, two] = [new ConfigMapStore(client, at), new ConfigMapStore(client, at)];
    await one.read(never);
    await two.read(never);

    expect(await one.write(new Map([['a', '1']]), never)).toEqual({ type: 'written' });
    expect(await two.write(new Map([['a', '2']]), never)).toEqual({ type: 'conflict' });
    await two.read(never);
    expect(await two.write(new Map([['b', '2']]), never)).toEqual({ type: 'written' });
    expect(await one.write(new Map([['a', '3']]), never)).toEqual({ type: 'conflict' });
    expect(await one.read(never)).toEqual({ type: 'read', texts: new Map(Object.entries({ a: '1', b: '2' })) });
    await call('DELETE', maps('schedules'));
    expect(await one.write(new Map([['a', '3']]), never)).toEqual({ type: 'conflict' });
  });

  it('takes the rule that the log names, and is kept as soon as it is there', async () => {
    const hands = await handsOn(plane);
    const schedule = [{ name: 'tick', crontab: '* * * * * *', concurrency: 'skip', missed: 'latest' }];
    await using operator = startOperator({
      connect: connectAs(plane, 'nobody'),
      hooks: { 'a.sh': recordingHook({ configVersion: 'v1', schedule }) },
      env: { POD_NAMESPACE: hands.namespace },
    });
    await until(() => expect(operator.runs('a.sh').length).toBeGreaterThan(0));
    const refused = operator.lines.find(({ level }) => level === 'error');
    expect(refused?.fields['advice']).toBe(
      `a Role in namespace ${hands.namespace} with the rule ` +
        '{apiGroups: [""], resources: [configmaps], verbs: [get, create, patch]}',
    );

    await grant(hands);

    await until(
      () => expect(operator.lines.map(({ message }) => message)).toContain('schedule state is persisted again'),
      90_000,
    );
    await until(async () =>
      expect(await hands.call('GET', hands.maps('hooklet-schedules'))).toMatchObject({ data: expect.anything() }),
    );
  });
});
