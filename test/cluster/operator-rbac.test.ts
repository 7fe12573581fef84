import { describe, expect, it } from 'vitest';
import { recordingHook, startOperator } from '../support/operator-rig.ts';
import { bindMaps, connectAs, handsOn, summary, until, withoutApiserver, type Hands } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();
const RBAC = 'rbac.authorization.k8s.io';

/** Grants the user nobody these verbs on the ConfigMaps of the namespace. */
async function grant({ call, namespace }: Hands, name: string, verbs: readonly string[]): Promise<void> {
  const path = `/apis/${RBAC}/v1/namespaces/${namespace}`;
  const common = { apiVersion: `${RBAC}/v1`, metadata: { name } };
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs }];
  await call('POST', `${path}/roles`, { ...common, kind: 'Role', rules });
  const roleRef = { apiGroup: RBAC, kind: 'Role', name };
  const subjects = [{ apiGroup: RBAC, kind: 'User', name: 'nobody' }];
  await call('POST', `${path}/rolebindings`, { ...common, kind: 'RoleBinding', roleRef, subjects });
}

async function revoke({ call, namespace }: Hands, name: string): Promise<void> {
  await call('DELETE', `/apis/${RBAC}/v1/namespaces/${namespace}/rolebindings/${name}`);
}

describe('a hook that may not watch', () => {
  it('waits alone, says why, and gets its Synchronization when it may', async () => {
    const [denied, allowed] = [await handsOn(plane), await handsOn(plane)];
    await denied.configMap('secret');
    await grant(allowed, 'read', ['get', 'list', 'watch']);
    await using operator = startOperator({
      connect: connectAs(plane, 'nobody'),
      hooks: {
        'a-denied.sh': recordingHook({ configVersion: 'v1', kubernetes: [bindMaps(denied.namespace)] }),
        'b-allowed.sh': recordingHook({ configVersion: 'v1', kubernetes: [bindMaps(allowed.namespace)] }),
      },
    });
    await until(() => expect(operator.runs('b-allowed.sh')).toHaveLength(1));
    await until(async () => {
      const ready = await (await fetch(`${operator.url()}/readyz`)).text();
      expect(ready).toMatch(/watch a-denied\.sh\/maps: .*configmaps is forbidden: User "nobody" cannot (?:list|watch)/);
    });
    expect(operator.runs('a-denied.sh')).toEqual([]);

    await grant(denied, 'read', ['get', 'list', 'watch']);

    await until(
      () => expect(operator.contexts('a-denied.sh').map(summary)).toEqual(['Synchronization secret']),
      50_000,
    );
    await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));
  });

  it('learns later what it missed while the right was taken away', async () => {
    const hands = await handsOn(plane);
    await grant(hands, 'read', ['get', 'list', 'watch']);
    await using operator = startOperator({
      connect: connectAs(plane, 'nobody'),
      hooks: { 'hook.sh': recordingHook({ configVersion: 'v1', kubernetes: [bindMaps(hands.namespace)] }) },
    });
    const seen = () => operator.contexts('hook.sh').map(summary);
    await until(() => expect(seen()).toEqual(['Synchronization']));

    await revoke(hands, 'read');
    // An open watch continues until the API server ends.
    await withoutApiserver(plane, async () => {});
    await hands.configMap('meanwhile');
    await until(
      async () => expect(await (await fetch(`${operator.url()}/readyz`)).text()).toMatch(/forbidden/),
      50_000,
    );
    expect(seen()).toEqual(['Synchronization']);
    await grant(hands, 'again', ['get', 'list', 'watch']);

    await until(() => expect(seen()).toEqual(['Synchronization', 'Added meanwhile']), 50_000);
  }, 150_000);

  it('has a patch it may not make refused with the words of the server, and retried when it may', async () => {
    const hands = await handsOn(plane);
    await grant(hands, 'read', ['get', 'list', 'watch']);
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: hands.namespace, name: 'made' } };
    const body = `echo '${JSON.stringify({ operation: 'CreateIfNotExists', object })}' > "$KUBERNETES_PATCH_PATH"`;
    await using operator = startOperator({
      connect: connectAs(plane, 'nobody'),
      hooks: { 'hook.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }, body) },
    });
    const failures = () => operator.lines.filter(({ message }) => message.startsWith('hook failed'));
    await until(() =>
      expect(failures().map(({ fields }) => String(fields.err))).toContainEqual(
        expect.stringMatching(/User "nobody" cannot create resource "configmaps"/),
      ),
    );

    await grant(hands, 'write', ['create']);

    await until(async () => expect(await hands.call('GET', hands.maps('made'))).toBeDefined());
  });
});
