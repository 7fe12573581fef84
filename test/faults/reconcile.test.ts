import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, Sandbox } from '@hooklet/sandbox';
import { objectsAt, sandboxForTest, textAt, textsAt } from '@hooklet/sandbox/testing';
import { finalizerOf } from '../../src/hook/reconcile-mark.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { kubeconfigFile } from '../support/kubeconfig-file.ts';
import { recordingHook, until } from '../support/operator-rig.ts';
import { startProgram, type Program } from '../support/program.ts';
import { webSiteDefinition } from '../support/web-site.ts';

const BINDING = { name: 'sites', apiVersion: 'example.com/v1', kind: 'WebSite' };
const SITE = '/apis/example.com/v1/namespaces/default/websites/a';
const WRITES = ['create', 'update', 'patch', 'delete'];

/** Its children are `spec.maps` in the namespace of the site, and `copy` in another one. */
const HOOK = recordingHook(
  {
    configVersion: 'v1',
    reconcile: [{ ...BINDING, owns: [{ apiVersion: 'v1', kind: 'ConfigMap', otherNamespaces: true }], finalize: true }],
  },
  `"$NODE" -e '
    const { readFileSync, writeFileSync } = require("node:fs");
    const [{ object, finalizing }] = JSON.parse(readFileSync(process.env.BINDING_CONTEXT_PATH, "utf8"));
    const child = (name, namespace) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace } });
    const children = [...object.spec.maps.map((name) => child(name)), child("copy", "kube-public")];
    const status = { maps: object.spec.maps };
    writeFileSync(process.env.RESULT_PATH, JSON.stringify({ children, status, finalized: finalizing }));
  '`,
);

describe('an operator that is killed', { timeout: 120_000 }, () => {
  it('at every write of its runs is followed by one that goes on, loses nothing and makes nothing twice', async () => {
    let program: Program | undefined;
    const deadly: string[] = [];
    const sandbox = await sandboxForTest({
      authorize: ({ verb, resource, subresource, name }) => {
        const isOwn = WRITES.includes(verb) && ['configmaps', 'websites'].includes(resource);
        const write = `${verb} ${name}${subresource === '' ? '' : `/${subresource}`}`;
        // Each write of a life is its last one, and is carried out. What it killed once does not kill again.
        if (isOwn && program !== undefined && !deadly.includes(`${phase} ${write}`)) {
          deadly.push(`${phase} ${write}`);
          program.signal('SIGKILL');
          program = undefined;
        }
        return true;
      },
    });
    let phase = 'made';
    const start = place(sandbox);
    const live = async (check: () => void | Promise<void>): Promise<void> => {
      for (;;) {
        const life = start();
        program = life;
        await until(async () => {
          if (program === life) await check();
        });
        if (program !== life) continue;
        program = undefined;
        life.signal('SIGTERM');
        await life.ended;
        return;
      }
    };
    const put = async (maps: readonly string[]): Promise<void> => {
      const changed = program;
      program = undefined;
      await sandbox.apply({
        apiVersion: BINDING.apiVersion,
        kind: BINDING.kind,
        metadata: { name: 'a', namespace: 'default' },
        spec: { maps },
      });
      program = changed;
    };
    await sandbox.apply(webSiteDefinition('example.com'));
    await put(['one', 'two']);
    await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'foreign', namespace: 'default' } });

    await live(async () => expect(await stateOf(sandbox)).toEqual(stateWith('one', 'two')));
    const uids = await uidsOf(sandbox);
    phase = 'changed';
    await put(['two', 'three']);
    await live(async () => expect(await stateOf(sandbox)).toEqual(stateWith('three', 'two')));
    const { one: _one, ...kept } = uids;
    expect(await uidsOf(sandbox)).toMatchObject(kept);
    phase = 'deleted';
    await sandbox.call('DELETE', SITE);
    await live(async () => expect((await sandbox.call('GET', SITE)).code).toBe(404));

    await until(async () => expect(Object.keys(await uidsOf(sandbox))).toEqual(['foreign']));
    // Children are made side by side, so that some of them are on their way when one kills.
    const isFirstChild = /^made patch (?:copy|one|two)$/;
    expect(deadly).toContainEqual(expect.stringMatching(isFirstChild));
    expect(deadly.filter((write) => !isFirstChild.test(write))).toEqual([
      'made patch a',
      'made patch a/status',
      'changed patch three',
      'changed delete one',
      'changed patch a/status',
      'deleted delete copy',
      'deleted patch a',
    ]);
  });
});

function stateWith(...maps: readonly string[]): unknown {
  return { maps, finalizers: [finalizerOf(BINDING)], children: ['copy', 'foreign', ...maps].toSorted() };
}

async function stateOf(sandbox: Sandbox): Promise<unknown> {
  const { body } = await sandbox.call('GET', SITE);
  return {
    maps: textsAt(body, 'status', 'maps').toSorted(),
    finalizers: textsAt(body, 'metadata', 'finalizers'),
    children: Object.keys(await uidsOf(sandbox)),
  };
}

/** The uids of all ConfigMaps but the records of the operator, by name. */
async function uidsOf(sandbox: Sandbox): Promise<Readonly<Record<string, string>>> {
  const { body } = await sandbox.call('GET', '/api/v1/configmaps');
  const entries = objectsAt(body, 'items').map((object: JsonObject) => [
    textAt(object, 'metadata', 'name'),
    textAt(object, 'metadata', 'uid'),
  ]);
  return Object.fromEntries(
    entries.filter(([name = '']) => !name.startsWith('hooklet-')).toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  );
}

/** Returns the function that starts an operator on the sandbox. */
function place(sandbox: Sandbox): () => Program {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const [hooks, out] = [join(folder.path, 'hooks'), join(folder.path, 'out')];
  mkdirSync(hooks);
  mkdirSync(out);
  writeFileSync(join(hooks, 'hook.sh'), HOOK);
  chmodSync(join(hooks, 'hook.sh'), 0o755);
  const env = {
    NODE: process.execPath,
    OUT: out,
    NODE_COMPILE_CACHE: join(folder.path, 'cache'),
    KUBECONFIG: kubeconfigFile(folder.path, sandbox),
  };
  const flags = ['--hooks-dir', hooks, '--tmp-dir', join(folder.path, 'tmp'), '--listen-port', '0'];
  return () => startProgram(['start', ...flags, '--listen-address', '127.0.0.1'], { env });
}
