import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, type Sandbox } from '@hooklet/sandbox';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { Copies } from '../../src/cli/against/copies.ts';
import { readOnly } from '../../src/cli/against/read-only.ts';
import { wantedBy } from '../../src/cli/against/wanted.ts';
import { parseConfig } from '../../src/hook/config.ts';
import { checkFilter } from '../../src/units/filter-check.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { startProgram, type Program } from '../support/program.ts';

let folder: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder.path, 'hooks'));
});
afterEach(() => folder[Symbol.dispose]());

/** A hook that marks each object that it sees, and prints its data. */
function hook(name: string, config: object): void {
  const patch = `.[] | (.objects[]?.object, .object) | select(. != null) | {operation: "MergePatch", apiVersion, kind, namespace: .metadata.namespace, name: .metadata.name, mergePatch: {metadata: {labels: {seen: "here"}}}}`;
  const text = `#!/usr/bin/env bash
source "$HOOKLET_SHELL_LIB"
function __config__() { echo '${JSON.stringify({ configVersion: 'v1', ...config })}'; }
hook::run "$@"
`.replace(
    'hook::run "$@"',
    `if [[ \${1:-} == --config ]]; then __config__; exit; fi
jq -c '${patch}' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
jq -r '.[] | (.objects[]?.object, .object) | select(. != null) | "saw \\(.kind) \\(.metadata.name) \\(.data.a // .spec.a // "")"' "$BINDING_CONTEXT_PATH"`,
  );
  const file = join(folder.path, 'hooks', name);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}

function against(real: Sandbox): Program {
  const kubeconfig = join(folder.path, 'real.kubeconfig');
  writeFileSync(kubeconfig, real.kubeconfig());
  return startProgram(['dev', '--against', 'sandbox'], { cwd: folder.path, env: { KUBECONFIG: kubeconfig } });
}

const map = (name: string, a: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop' },
  data: { a },
});

/** The object in the API server of the program. */
async function inDev(program: Program, path: string): Promise<unknown> {
  const url = /sandbox API server started {2}url=(\S+)/.exec(program.stdout())?.[1];
  return (await fetch(`${url}${path}`)).json();
}

/** The uid of a Pod of the cluster, which no hook watches. */
async function podIn(real: Sandbox): Promise<string> {
  const spec = { containers: [{ name: 'a', image: 'a:1' }] };
  const { metadata } = await real.apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'shop' },
    spec,
  });
  return isJsonObject(metadata) && typeof metadata['uid'] === 'string' ? metadata['uid'] : '';
}

const MAP = '/api/v1/namespaces/shop/configmaps/first';

describe('hooklet dev --against', () => {
  it('shows hooks what a cluster has, and writes nothing to it', async () => {
    const real = await sandboxForTest();
    await real.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    await real.apply(map('first', '1'));
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: await podIn(real) };
    await real.call('POST', '/api/v1/namespaces/shop/configmaps', {
      ...map('owned', '2'),
      metadata: { name: 'owned', ownerReferences: [owner] },
    });
    real.clearRequests();
    hook('maps.sh', {
      kubernetes: [
        {
          kind: 'ConfigMap',
          namespace: { nameSelector: { matchNames: ['shop'] } },
          labelSelector: { matchExpressions: [{ key: 'hidden', operator: 'DoesNotExist' }] },
        },
      ],
    });
    const program = against(real);
    await program.says(/saw ConfigMap first 1[^]*patch applied/);
    const [original, copy] = [await real.call('GET', MAP), await inDev(program, MAP)];
    await real.apply(map('first', '3'));
    await program.says('saw ConfigMap first 3');
    await real.delete(map('first', ''));
    await expect.poll(async () => JSON.stringify(await inDev(program, MAP))).toContain('"code":404');

    const uid =
      isJsonObject(original.body) && isJsonObject(original.body['metadata']) ? original.body['metadata']['uid'] : '';
    expect(copy).toMatchObject({ metadata: { uid, labels: { seen: 'here' } }, data: { a: '1' } });
    expect(JSON.stringify(original.body)).not.toContain('seen');
    expect(program.stdout()).toContain(
      'the cluster changed an object that was changed here: the change made here is dropped  object=v1/ConfigMap/shop/first',
    );
    expect(await inDev(program, '/api/v1/namespaces/shop/configmaps/owned')).toMatchObject({
      metadata: { ownerReferences: [owner] },
    });
    expect(real.requests.length).toBeGreaterThan(2);
    expect(real.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('copies custom resources with their definition, and tells of what it may not read', async () => {
    const real = await sandboxForTest({
      authorize: ({ resource }) => resource !== 'secrets' || 'by nobody',
    });
    const schema = {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
      },
    };
    const conversion = {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://127.0.0.1:1/' } },
    };
    const versions = [
      { name: 'v1', served: true, storage: true, schema },
      { name: 'v2', served: true, storage: false, schema },
    ];
    await real.apply({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Thing', plural: 'things' },
        versions,
        conversion,
      },
    });
    await real.apply({
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: { name: 'one', namespace: 'default' },
      spec: { a: 'x' },
    });
    real.clearRequests();
    hook('things.sh', {
      kubernetes: [
        { kind: 'Thing', apiVersion: 'example.com/v1' },
        { kind: 'Secret', name: 'secrets' },
      ],
    });
    const program = against(real);
    await program.says('saw Thing one x');

    expect(program.stdout()).toMatch(
      /WARN {2}objects of the cluster cannot be read: .* kind=Secret .*secrets is forbidden/,
    );
    expect(program.stdout()).toContain('the account of the context needs list and watch on them');
    expect(real.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    program.signal('SIGINT');
    expect(await program.ended).toBe(0);
  });

  it('refuses a context that is not there, and to keep what a cluster had', async () => {
    hook('a.sh', { onStartup: 1 });
    const env = { KUBECONFIG: join(folder.path, 'real.kubeconfig') };
    const real = await sandboxForTest();
    writeFileSync(env.KUBECONFIG, real.kubeconfig());
    const [other, kept] = [
      startProgram(['dev', '--against', 'other'], { cwd: folder.path, env }),
      startProgram(['dev', '--against', 'sandbox', '--data', 'file'], { cwd: folder.path, env }),
    ];

    expect([await other.ended, other.stderr()]).toEqual([1, expect.stringContaining('other')]);
    expect([await kept.ended, kept.stderr()]).toEqual([2, expect.stringContaining('leave out one of')]);
  });
});

describe('the client of a cluster that is only read', () => {
  it('sends no other request than GET', async () => {
    const sent: string[] = [];
    const client = readOnly({
      request: async ({ method }) => sent.push(method),
      bytes: async () => new Uint8Array(),
      lines: async function* () {},
      chunks: async function* () {},
      close: async () => {},
    });
    const { signal } = new AbortController();

    await client.request({ method: 'GET', path: '/api' }, signal);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      await expect(client.request({ method, path: '/api' }, signal)).rejects.toThrow('is only read');
      await expect(client.bytes({ method, path: '/api' }, signal)).rejects.toThrow('is only read');
      expect(() => client.lines({ method, path: '/api' }, { signal, idleTimeoutMs: 1 })).toThrow('is only read');
    }
    expect(sent).toEqual(['GET']);
  });
});

describe('the copies of a cluster', () => {
  const object = (name: string, resourceVersion: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'a', uid: name, resourceVersion },
  });

  it('keep an object while any selection has it, and write it only when it changes', async () => {
    const { mirror } = await sandboxForTest();
    const copies = new Copies(mirror, recordingLogger());
    copies.put(object('x', '1'), 10, 'by label');
    const version = mirror.versionOf(object('x', '1'));
    copies.put(object('x', '1'), 10, 'by name');
    copies.drop({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'a', name: 'x' }, 'by label');

    expect(mirror.versionOf(object('x', '1'))).toBe(version);
    copies.drop({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'a', name: 'x' }, 'by name');
    expect([mirror.versionOf(object('x', '1')), copies.size]).toEqual([undefined, 0]);
  });

  it('are at most 20,000, and more are told of once', async () => {
    const { mirror } = await sandboxForTest();
    const log = recordingLogger();
    const copies = new Copies(mirror, log);
    for (let index = 0; index < 20_002; index += 1) copies.put(object(`x${index}`, '1'), 10, 'all');

    expect(copies.size).toBe(20_000);
    expect(log.lines.filter(({ message }) => message.includes('more objects than dev copies'))).toHaveLength(1);
  });
});

describe('what hooks want of a cluster', () => {
  it('is each kind that they watch, own or look at, in the namespaces that they name', () => {
    const config = parseConfig(
      JSON.stringify({
        configVersion: 'v1',
        onStartup: 1,
        kubernetes: [
          { kind: 'Pod', namespace: { nameSelector: { matchNames: ['a', 'b'] } } },
          { kind: 'Pod', namespace: { nameSelector: { matchNames: ['a'] } } },
          {
            kind: 'Secret',
            namespace: { labelSelector: { matchLabels: { x: 'y' } } },
            nameSelector: { matchNames: ['s'] },
          },
        ],
        reconcile: [{ kind: 'Page', apiVersion: 'e.com/v1', owns: [{ kind: 'Job', apiVersion: 'batch/v1' }] }],
      }),
      checkFilter,
    );
    const bindings = config.type === 'valid' ? config.bindings : [];

    const wanted = wantedBy([{ name: 'a', path: 'a', type: 'process', bindings, settings: {} }]);
    expect(
      wanted.map(
        ({ reference: { kind }, namespace = '*', selection = {} }) =>
          `${kind} ${namespace} ${selection.names?.join() ?? ''}`,
      ),
    ).toEqual(['Pod a ', 'Pod b ', 'Secret * s', 'Namespace * ', 'Page * ', 'Job * ']);
  });
});
