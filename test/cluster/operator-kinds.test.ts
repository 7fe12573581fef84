import { describe, expect, it, onTestFinished } from 'vitest';
import { recordingHook, startOperator } from '../support/operator-rig.ts';
import { connectAs, handsOn, summary, until, type Hands } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();
const GROUP = 'kinds.example.com';
const NAME = `crontabs.${GROUP}`;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const LIMIT_MS = 50_000;

const version = (name: string, fields: object = {}) => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  ...fields,
});

async function define({ call }: Hands): Promise<void> {
  const names = { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', listKind: 'CronTabList' };
  await call('POST', DEFINITIONS, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: NAME },
    spec: { group: GROUP, scope: 'Namespaced', names, versions: [version('v1', { storage: true })] },
  });
}

async function make({ call, namespace }: Hands, name: string, apiVersion = 'v1'): Promise<void> {
  const path = `/apis/${GROUP}/${apiVersion}/namespaces/${namespace}/crontabs`;
  const object = { apiVersion: `${GROUP}/${apiVersion}`, kind: 'CronTab', metadata: { name } };
  // The API server serves the path some time after the definition is created.
  await until(async () => call('POST', path, object).then(() => {}), LIMIT_MS);
}

async function undefine({ call }: Hands): Promise<void> {
  await call('DELETE', `${DEFINITIONS}/${NAME}`);
  await until(async () => expect(call('GET', `${DEFINITIONS}/${NAME}`)).rejects.toThrow('404'), LIMIT_MS);
}

describe('a kind that comes, changes and goes', () => {
  it('is found when it comes, followed to another version, and its objects go with it', async () => {
    const hands = await handsOn(plane);
    onTestFinished(async () => undefine(hands).catch(() => {}));
    const namespace = { nameSelector: { matchNames: [hands.namespace] } };
    const config = { configVersion: 'v1', kubernetes: [{ name: 'crons', kind: 'CronTab', namespace }] };
    await using operator = startOperator({
      connect: connectAs(plane, 'admin'),
      hooks: {
        'a.sh': recordingHook(config),
        'b.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }),
      },
    });
    const seen = () => operator.contexts('a.sh').map(summary);
    await until(() => expect(operator.runs('b.sh')).toHaveLength(1));
    await until(() =>
      expect(operator.lines.map(({ message }) => message)).toContain(
        'binding waits for the cluster, it is tried again',
      ),
    );

    await define(hands);
    await make(hands, 'first');
    await until(
      () => expect(seen().join(', ')).toMatch(/^Synchronization first$|^Synchronization, Added first$/),
      LIMIT_MS,
    );
    const before = seen().length;

    // The stored version stays, but v1 is not served, so the binding has to move.
    await hands.patch(`${DEFINITIONS}/${NAME}`, {
      spec: { versions: [version('v1', { served: false }), version('v2', { storage: true })] },
    });
    await make(hands, 'second', 'v2');
    await until(() => expect(seen().slice(before)).toContain('Added second'), LIMIT_MS);

    await undefine(hands);
    await until(
      () => expect(seen().slice(before)).toEqual(expect.arrayContaining(['Deleted first', 'Deleted second'])),
      LIMIT_MS,
    );
    await define(hands);
    await make(hands, 'third');

    await until(() => expect(seen().at(-1)).toBe('Added third'), LIMIT_MS);
    expect(seen().filter((one) => one.startsWith('Added second'))).toHaveLength(1);
  }, 240_000);
});
