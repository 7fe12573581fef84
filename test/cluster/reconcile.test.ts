import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { uidOf } from '../../src/effects/api-object.ts';
import { annotationsOf, compareAndSet } from '../../src/effects/compare-and-set.ts';
import { createKinds } from '../../src/kube/discovery/kinds.ts';
import { until } from './operator-rig.ts';
import {
  BARE,
  CORE,
  ALL,
  READ,
  GROUP,
  DEFINITIONS,
  OWNS,
  RULES,
  DEPLOYMENT,
  SERVICE,
  changeSite,
  define,
  grant,
  map,
  operatorOf,
  pageDefinition,
  putSite,
  read,
  readyOf,
  replica,
  siteHands,
  siteHook,
  siteWitness,
  sitePath,
  writesIn,
} from './reconcile-rig.ts';

describe('a reconcile hook on a real API server', () => {
  it('has each child and each status written once, and nothing when nothing differs, also after a restart', async () => {
    const hands = await siteHands();
    await grant(hands, 'all', RULES);
    await putSite(hands, { children: [DEPLOYMENT, SERVICE, map('web')], status: { made: 3 } });
    const hook = siteHook(hands);
    {
      await using operator = operatorOf(hook);
      await until(async () => expect(await readyOf(hands)).toMatchObject({ status: 'True' }));
      const runs = operator.runs('site.sh').length;
      await hands.patch(`${sitePath(hands)}/a`, { metadata: { annotations: { touched: '1' } } });
      await until(() => expect(operator.runs('site.sh').length).toBeGreaterThan(runs));
    }
    const writes = await writesIn(hands);
    expect(writes.filter((write) => !write.includes('websites/status')).toSorted()).toEqual([
      'patch configmaps web 201',
      'patch deployments web 201',
      'patch services web 201',
    ]);
    // Once while the Deployment is not ready, and once when it is.
    const statuses = writes.filter((write) => write.includes('websites/status'));
    expect(statuses.length).toBeGreaterThan(0);
    expect(statuses.length).toBeLessThanOrEqual(2);

    await using operator = operatorOf(hook);
    await until(() => expect(operator.runs('site.sh')).toHaveLength(1));
    await hands.patch(`${sitePath(hands)}/a`, { metadata: { annotations: { touched: '2' } } });
    await until(() => expect(operator.runs('site.sh')).toHaveLength(2));
    await operator.stop();

    expect(await writesIn(hands)).toEqual(writes);
  });

  it('has its state written by one of 2 writers, in each of 10 rounds, and by none after another object has the name', async () => {
    const hands = await siteHands();
    const { client, namespace } = hands;
    const session = { client, kinds: createKinds(client), signal: new AbortController().signal };
    const make = async () => uidOf(await hands.configMap('kept'));
    const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'kept', uid: await make() };
    const annotation = 'state.hooklet.dev/steps';
    let before: string | undefined;
    for (let round = 0; round < 10; round += 1) {
      const change = { object, annotation, before, hasAnnotations: before !== undefined };
      const texts = ['one', 'other'].map((writer) => `${round} ${writer}`);
      const outcomes = await Promise.all(texts.map(async (after) => compareAndSet({ ...change, after }, session)));
      expect(outcomes.map(({ type }) => type).toSorted()).toEqual(['changed', 'written']);
      before = annotationsOf(await read(hands, hands.maps('kept')))[annotation];
      expect(before).toBe(texts[outcomes.findIndex(({ type }) => type === 'written')]);
    }

    const last = { object, annotation, before, after: 'late', hasAnnotations: true };
    await hands.call('DELETE', hands.maps('kept'));
    expect(await compareAndSet(last, session)).toEqual({ type: 'gone' });
    await make();
    expect(await compareAndSet(last, session)).toEqual({ type: 'gone' });
  });

  it('is called before its object is deleted, whose children are then collected', async () => {
    const hands = await siteHands();
    await grant(hands, 'all', RULES);
    await hands.configMap('foreign');
    await putSite(hands, { children: [map('mine')] });
    await using operator = operatorOf(siteHook(hands, { finalize: true }));
    await until(async () => expect(await read(hands, hands.maps('mine'))).toBeDefined());

    await hands.call('DELETE', `${sitePath(hands)}/a`);

    await until(async () => expect(await read(hands, `${sitePath(hands)}/a`)).toBeUndefined());
    await until(async () => expect(await read(hands, hands.maps('mine'))).toBeUndefined());
    expect(operator.contexts('site.sh').at(-1)).toMatchObject({ finalizing: true, reason: 'deleted' });
    expect(await read(hands, hands.maps('foreign'))).toBeDefined();
    expect(operator.lines.filter(({ message }) => message.startsWith('hook failed'))).toEqual([]);
  });

  it('is not called while the definition of an owned kind is gone, and nothing is deleted', async () => {
    const hands = await siteHands();
    await grant(hands, 'all', RULES);
    const definition = pageDefinition();
    await define(hands, definition);
    const page = { apiVersion: `${GROUP}/v1`, kind: 'Page', metadata: { name: 'p' } };
    const pagePath = `/apis/${GROUP}/v1/namespaces/${hands.namespace}/pages/p`;
    await putSite(hands, { children: [map('kept'), page] });
    await using operator = operatorOf(
      siteHook(hands, { owns: [...OWNS, { apiVersion: `${GROUP}/v1`, kind: 'Page' }] }),
      { 'seen.sh': siteWitness(hands) },
    );
    await until(async () => expect(await read(hands, pagePath)).toBeDefined());

    await hands.call('DELETE', `${DEFINITIONS}/pages.${GROUP}`);
    await until(async () => {
      const ready = await (await fetch(`${operator.url()}/readyz?verbose`)).text();
      expect(ready).toMatch(/\[-\]watch site\.sh\/sites\/Page/);
    });
    const uid = (await read(hands, hands.maps('kept')))?.metadata.uid;
    const runs = operator.runs('site.sh').length;
    // What the first of two changes would lead to is done before the second one is seen.
    for (const version of ['1', '2']) {
      await changeSite(hands, { children: [page], status: { version } });
      await until(() => expect(JSON.stringify(operator.contexts('seen.sh'))).toContain(`"version":"${version}"`));
    }
    expect(operator.runs('site.sh')).toHaveLength(runs);
    expect((await read(hands, hands.maps('kept')))?.metadata.uid).toBe(uid);

    await until(async () => define(hands, definition));
    await until(async () => expect(await read(hands, pagePath)).toBeDefined());
    await until(async () => expect(await read(hands, hands.maps('kept'))).toBeUndefined());
  });

  it(
    'is called without an optional kind, says where a child of it is wanted, and follows it when it comes and goes',
    { timeout: 600_000 },
    async () => {
      const hands = await siteHands();
      await grant(hands, 'all', RULES);
      const page = { apiVersion: `${GROUP}/v1`, kind: 'Sheet', metadata: { name: 'p' } };
      const pagePath = `/apis/${GROUP}/v1/namespaces/${hands.namespace}/sheets/p`;
      await putSite(hands, { children: [map('kept'), page] });
      await using operator = operatorOf(
        siteHook(hands, { owns: [...OWNS, { apiVersion: `${GROUP}/v1`, kind: 'Sheet', optional: true }] }),
      );
      const isUnknown = async (): Promise<void> =>
        expect(await readyOf(hands)).toMatchObject({ status: 'False', reason: 'ChildKindUnknown' });
      await until(isUnknown);
      expect(await read(hands, hands.maps('kept'))).toBeDefined();
      expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200);

      const definition = pageDefinition('sheets', 'Sheet');
      for (let time = 0; time < 2; time++) {
        await until(async () => define(hands, definition));
        await until(async () => expect(await readyOf(hands)).toMatchObject({ status: 'True' }), 70_000);
        // A child that somebody deletes is there again, also before the kind is followed, which is within a minute.
        const uid = (await read(hands, pagePath))?.metadata.uid;
        await hands.call('DELETE', pagePath);
        await until(async () => {
          const made = (await read(hands, pagePath))?.metadata.uid;
          expect(made).toBeDefined();
          expect(made).not.toBe(uid);
        }, 70_000);

        await hands.call('DELETE', `${DEFINITIONS}/sheets.${GROUP}`);
        await until(isUnknown);
        expect(await read(hands, hands.maps('kept'))).toBeDefined();
      }
    },
  );

  it('that may not write an owned kind deletes nothing, and tells which right is missing', async () => {
    const hands = await siteHands();
    await grant(hands, 'some', [...RULES.filter(({ apiGroups }) => !apiGroups.includes('')), { ...CORE, verbs: READ }]);
    await grant(hands, 'maps', [{ apiGroups: [''], resources: ['configmaps'], verbs: ALL }]);
    await putSite(hands, { children: [map('old')] });
    await using operator = operatorOf(siteHook(hands));
    await until(async () => expect(await read(hands, hands.maps('old'))).toBeDefined());

    await changeSite(hands, { children: [SERVICE] });

    await until(() =>
      expect(operator.lines.map(({ fields }) => String(fields.err))).toContainEqual(
        expect.stringMatching(/Service\/web: .*"?(?:patch|create)"?.*services/),
      ),
    );
    await until(async () =>
      expect(await readyOf(hands)).toMatchObject({
        status: 'False',
        reason: 'ChildForbidden',
        message: expect.stringMatching(/services/),
      }),
    );
    expect(await read(hands, hands.maps('old'))).toBeDefined();

    await grant(hands, 'services', [{ apiGroups: [''], resources: ['services'], verbs: ALL }]);
    await until(async () => expect(await read(hands, hands.maps('old'))).toBeUndefined());
    await until(async () => expect(await readyOf(hands)).toMatchObject({ status: 'True' }));
  });

  it('has its children made where its kind has no status subresource, and is told so', async () => {
    const hands = await siteHands();
    await grant(hands, 'all', RULES);
    await putSite(hands, { children: [map('made')], status: { phase: 'Done' } }, BARE);
    await using operator = operatorOf(siteHook(hands, { apiVersion: `${BARE}/v1` }));

    await until(async () => expect(await read(hands, hands.maps('made'))).toBeDefined());
    await until(() =>
      expect(operator.lines.map((line) => JSON.stringify([line.message, line.fields]))).toContainEqual(
        expect.stringMatching(/status subresource/),
      ),
    );
    expect(operator.lines.filter(({ message }) => message.startsWith('hook failed'))).toEqual([]);
  });
});

describe('a change of leader in the middle of a run', () => {
  it('loses nothing and makes nothing twice', async () => {
    const hands = await siteHands();
    await grant(hands, 'all', [
      ...RULES,
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update', 'patch'] },
    ]);
    await putSite(hands, { children: [map('one')], status: { made: 1 } });
    const waits = 'if [ -e "$OUT/hold" ]; then touch "$OUT/began"; while :; do sleep 1; done; fi';
    const [first, second] = [replica(hands, 'one', waits), replica(hands, 'two', waits)];
    const leader = first.start();
    await until(async () => expect(await readyOf(hands)).toMatchObject({ status: 'True' }));
    const uid = (await read(hands, hands.maps('one')))?.metadata.uid;
    const other = second.start();
    await other.says('standing by');
    writeFileSync(join(first.out, 'hold'), '');
    await changeSite(hands, { children: [map('one'), map('two')], status: { made: 2 } });
    await until(() => expect(existsSync(join(first.out, 'began'))).toBe(true));

    leader.signal('SIGKILL');

    await until(async () => expect(await read(hands, hands.maps('two'))).toBeDefined());
    await until(async () => expect(await read(hands, `${sitePath(hands)}/a`)).toMatchObject({ status: { made: 2 } }));
    expect((await read(hands, hands.maps('one')))?.metadata.uid).toBe(uid);
    other.signal('SIGTERM');
    expect(await other.ended).toBe(0);
    const writes = (await writesIn(hands)).filter((write) => !write.includes('leases'));
    expect(writes.filter((write) => write.includes('configmaps'))).toEqual([
      'patch configmaps one 201',
      'patch configmaps two 201',
    ]);
    expect(writes.filter((write) => write.includes('status'))).toHaveLength(2);
  });
});
