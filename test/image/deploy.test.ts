import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { objectsAt, textAt, textsAt } from '@hooklet/sandbox/testing';
import { until } from '../cluster/operator-rig.ts';
import { sharedControlPlane } from '../cluster/shared-control-plane.ts';
import { labelledConfigMap, labelledSecret, targetNamespace } from '../support/shipped-hooks.ts';
import { within } from '../support/within.ts';
import { adminKubectl, objectsOf, type Kubectl } from './kubectl.ts';
import { startPod } from './pod.ts';

const folder = fileURLToPath(new URL('../../deploy', import.meta.url));
const image = inject('images').deployed;
const plane = sharedControlPlane();
let kubectl: Kubectl;
let manifests: readonly JsonObject[] = [];
let deployment: JsonObject = {};

beforeAll(async () => {
  kubectl = await adminKubectl(plane);
  manifests = objectsOf((await kubectl(['kustomize', folder])).stdout);
  deployment = manifests.find(({ kind }) => kind === 'Deployment') ?? {};
});
afterAll(async () => kubectl[Symbol.asyncDispose]());

async function apply(...objects: readonly JsonObject[]): Promise<void> {
  await kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
}

async function field(path: string, ...what: readonly string[]): Promise<string> {
  return (await kubectl(['get', ...what, '--ignore-not-found', '-o', `jsonpath={${path}}`])).stdout;
}

async function grant(verbs: readonly string[]): Promise<void> {
  const rule = [{ op: 'replace', path: '/rules/0/verbs', value: verbs }];
  await kubectl(['patch', 'role', 'hooklet-settings', '-n=hooklet', '--type=json', '-p', JSON.stringify(rule)]);
}

/** The RoleBinding that a user adds for each chosen namespace. */
function copiesBinding(namespace: string): JsonObject {
  const inDefault = manifests.find(
    (it) => it['kind'] === 'RoleBinding' && textAt(it, 'roleRef', 'name') === 'hooklet-copies',
  );
  return { ...inDefault, metadata: { name: 'hooklet-copies', namespace } };
}

/** The requests that were made, as `METHOD resource`, without discovery. */
function requestsIn(metrics: string): readonly string[] {
  const made = metrics.matchAll(
    /request_latency_seconds_count\{verb="(\w+)",url="\/api\/v1\/([^"]+)",component="main"\}/g,
  );
  return distinct([...made].map(([, verb = '', url = '']) => `${verb} ${resourceIn(url)}`));
}

function resourceIn(url: string): string {
  return /^(?:namespaces\/\{namespace\}\/)?(\w+)/.exec(url)?.[1] ?? url;
}

/** The requests that the rules allow. */
function requestsOf(objects: readonly JsonObject[]): readonly string[] {
  const methods: Readonly<Record<string, string>> = { create: 'POST', update: 'PUT', delete: 'DELETE' };
  const rules = objects.flatMap((manifest) => objectsAt(manifest, 'rules'));
  return distinct(
    rules.flatMap((rule) =>
      textsAt(rule, 'resources').flatMap((resource) =>
        textsAt(rule, 'verbs').map((verb) => `${methods[verb] ?? 'GET'} ${resource}`),
      ),
    ),
  );
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted();
}

describe('deploy/', { timeout: 300_000 }, () => {
  it('grants no right by a star, and binds no role but its own', () => {
    const rules = manifests.flatMap((manifest) => objectsAt(manifest, 'rules'));
    const granted = rules.flatMap((rule) => ['apiGroups', 'resources', 'verbs'].flatMap((key) => textsAt(rule, key)));

    expect(granted).not.toContain('*');
    expect(rules.length).toBeGreaterThan(0);
    const bindings = manifests.filter((manifest) => 'roleRef' in manifest);
    const bound = bindings.map((it) => [
      it['kind'],
      textAt(it, 'metadata', 'namespace'),
      textAt(it, 'roleRef', 'name'),
    ]);
    expect(bound).toEqual([
      ['RoleBinding', 'default', 'hooklet-copies'],
      ['RoleBinding', 'hooklet', 'hooklet-settings'],
      ['ClusterRoleBinding', '', 'hooklet-namespaces'],
    ]);
  });

  it('is accepted by the API server, in a dry run and in earnest, without a warning', async () => {
    await kubectl(['apply', '-f', join(folder, 'base', 'namespace.yaml')]);

    const dry = await kubectl(['apply', '--dry-run=server', '-k', folder]);
    const applied = await kubectl(['apply', '-k', folder]);

    expect(dry.stdout.split('\n')).toHaveLength(manifests.length);
    expect([dry.stderr, applied.stderr].filter((text) => text.includes('Warning: would violate'))).toEqual([]);
  });

  it('makes a Pod that the strictest Pod security standard admits', async () => {
    await until(async () => expect(await field('.items[*].status.phase', 'pods', '-n=hooklet')).toBe('Pending'));
  });

  it('runs the shipped hooks with exactly its rights, and ends in good order', async () => {
    await apply(targetNamespace('image-team'), copiesBinding('image-team'));
    await apply(labelledConfigMap('registry', { url: 'one' }), labelledSecret('login', { user: 'one' }));
    await using pod = await startPod({
      plane,
      image,
      deployment,
      env: { BACKUP_CRONTAB: '*/5 * * * * *', COPY_NAMESPACES: 'default image-team' },
    });
    const copies = async () => {
      const url = await field('.data.url', 'configmap', 'registry', '-n=image-team');
      return [url, atob(await field('.data.user', 'secret', 'login', '-n=image-team'))];
    };

    await until(async () => expect((await pod.ask('/readyz')).status).toBe(200));
    await until(async () => expect(await copies()).toEqual(['one', 'one']));
    await apply(labelledConfigMap('registry', { url: 'two' }), labelledSecret('login', { user: 'two' }));
    await until(async () => expect(await copies()).toEqual(['two', 'two']));
    const backups = pod.volumes['/backups'] ?? '';
    await until(() => expect(readdirSync(backups)).toContainEqual(expect.stringMatching(/^backup-\w+\.json$/)));

    await kubectl(['delete', 'configmap/registry', 'secret/login', '-n=default']);
    await until(async () => expect(await copies()).toEqual(['', '']));
    expect(await field('.data.keepBackups', 'configmap', 'hooklet-settings', '-n=hooklet')).toBe('3');
    // The hook removes old backups meanwhile.
    await until(() => expect(statSync(join(backups, readdirSync(backups)[0] ?? '')).uid).toBe(65532));
    expect((await pod.ask('/healthz')).status).toBe(200);
    // The API server carries out a request before hooklet counts its answer.
    await until(async () => {
      const { text: metrics } = await pod.ask('/metrics');
      expect(metrics).not.toContain('code="403"');
      expect(metrics).toContain('code="201"');
      expect(requestsIn(metrics)).toEqual(requestsOf(manifests));
    });
    const { exitCode, stdout } = await pod.container.stop();
    expect(exitCode).toBe(0);
    expect(stdout.split('\n').at(-1)).toContain('"hooklet ended"');
    expect(pod.container.entries.filter(({ level }) => ['warn', 'error'].includes(String(level)))).toEqual([]);
    expect(readdirSync(join(pod.volumes['/tmp'] ?? '', 'hooklet'))).toEqual([]);
  });

  it('is ready within 2 s, and needs little memory', async () => {
    await using pod = await startPod({ plane, image, deployment });
    const { container } = pod;

    await within(2000, async () => expect((await pod.ask('/readyz')).status).toBe(200));

    const readyMs = Date.now() - container.startedAtMs;
    const pssMiB = (await container.pss()) / 2 ** 20;
    const imageMB = image.bytes / 1e6;
    process.stderr.write(
      `image ${Math.round(imageMB)} MB, ready after ${readyMs} ms with ${container.cpuSeconds().toFixed(1)} s of CPU, PSS ${Math.round(pssMiB)} MiB\n`,
    );
    // The memory request of the Deployment.
    expect(pssMiB).toBeLessThan(192);
  });

  it('says which right is missing, and goes on when it is granted', async () => {
    await grant(['list', 'watch']);
    await using pod = await startPod({ plane, image, deployment });
    const problems = (): readonly string[] =>
      pod.container.entries.filter(({ level }) => level === 'error').map((entry) => JSON.stringify(entry));

    await kubectl(['delete', 'configmap', 'hooklet-settings', '-n=hooklet', '--ignore-not-found']);
    await until(() =>
      expect(problems()).toContainEqual(
        expect.stringMatching(/001-prepare\.sh.*hooklet:hooklet.*cannot create resource.*configmaps/),
      ),
    );
    await until(async () => expect((await pod.ask('/readyz')).text).toContain('[-]startup'));
    await grant(['list', 'watch', 'create']);

    await until(async () => expect((await pod.ask('/readyz')).status).toBe(200));
    expect((await pod.container.stop()).exitCode).toBe(0);
  });

  it('has a Deployment whose probes and port are those of the image', async () => {
    const [container = {}] = objectsAt(deployment, 'spec', 'template', 'spec', 'containers');

    expect(objectsAt(container, 'ports')).toEqual([{ name: 'metrics', containerPort: 9115 }]);
    expect(textAt(container, 'livenessProbe', 'httpGet', 'path')).toBe('/healthz');
    expect(textAt(container, 'readinessProbe', 'httpGet', 'path')).toBe('/readyz');
    expect(readFileSync(join(folder, '..', 'Dockerfile'), 'utf8')).toContain('EXPOSE 9115');
  });
});
