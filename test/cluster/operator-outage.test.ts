import { describe, expect, it } from 'vitest';
import { recordingHook, startOperator } from '../support/operator-rig.ts';
import { bindMaps, connectAs, handsOn, summary, until, withoutApiserver } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();
const LIMIT_MS = 50_000;

async function watchingOperator() {
  const hands = await handsOn(plane);
  await hands.configMap('kept');
  await hands.configMap('lost');
  const operator = startOperator({
    connect: connectAs(plane, 'admin'),
    hooks: { 'hook.sh': recordingHook({ configVersion: 'v1', kubernetes: [bindMaps(hands.namespace)] }) },
  });
  const seen = () => operator.contexts('hook.sh').map(summary);
  await until(() => expect(seen()).toEqual(['Synchronization kept lost']));
  return { hands, operator, seen: () => seen().slice(1).toSorted() };
}

describe('an API server that is killed', () => {
  it('is waited for: what happens after it is back arrives, and nothing twice', async () => {
    const { hands, operator, seen } = await watchingOperator();
    await using _ = operator;

    await withoutApiserver(plane, async () =>
      until(() => expect(operator.lines.map(({ level }) => level)).toContain('warn'), LIMIT_MS),
    );
    await hands.configMap('new');
    await hands.patch(hands.maps('kept'), { data: { a: '1' } });
    await hands.call('DELETE', hands.maps('lost'));

    await until(() => expect(seen()).toEqual(['Added new', 'Deleted lost', 'Modified kept']), LIMIT_MS);
    await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200), LIMIT_MS);
  }, 150_000);

  it('may have forgotten its past: what was missed is found out by listing', async () => {
    const { hands, operator, seen } = await watchingOperator();
    await using _ = operator;

    await withoutApiserver(plane, async () => {});
    await hands.configMap('new');
    await hands.call('DELETE', hands.maps('lost'));
    await withoutApiserver(plane, async () => plane.compactEtcd());
    await hands.patch(hands.maps('kept'), { data: { a: '1' } });

    await until(() => expect(seen()).toEqual(['Added new', 'Deleted lost', 'Modified kept']), LIMIT_MS);
  }, 200_000);

  it('gets the patches of a run that it missed, when it is back', async () => {
    const hands = await handsOn(plane);
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: hands.namespace, name: 'made' } };
    const body = `: > "$OUT/ran"
      while ! [ -e "$OUT/go" ]; do sleep 0.05; done
      echo '${JSON.stringify({ operation: 'CreateIfNotExists', object })}' > "$KUBERNETES_PATCH_PATH"`;
    await using operator = startOperator({
      connect: connectAs(plane, 'admin'),
      hooks: { 'hook.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }, body) },
    });
    await until(() => expect(operator.runs('hook.sh')).toHaveLength(1));

    await withoutApiserver(plane, async () => {
      operator.change('../out/go', 'x');
      await until(() => expect(operator.lines.map(({ message }) => message).join()).toContain('hook failed'), LIMIT_MS);
    });

    await until(async () => expect(await hands.call('GET', hands.maps('made'))).toBeDefined(), LIMIT_MS);
  }, 150_000);
});

describe('etcd that is compacted under an old watch', () => {
  it('costs nothing: the watch goes on, or lists anew', async () => {
    const { hands, operator, seen } = await watchingOperator();
    await using _ = operator;
    await hands.configMap('before');
    await until(() => expect(seen()).toEqual(['Added before']));

    await plane.compactEtcd();
    await hands.configMap('after');
    await hands.call('DELETE', hands.maps('lost'));

    await until(() => expect(seen()).toEqual(['Added after', 'Added before', 'Deleted lost']), LIMIT_MS);
  });
});
