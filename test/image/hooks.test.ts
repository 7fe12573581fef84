import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { until } from '../cluster/operator-rig.ts';
import { sharedControlPlane } from '../cluster/shared-control-plane.ts';
import { readManifests } from '../support/example-rig.ts';
import type { Container } from './container.ts';
import { adminKubectl, type Kubectl } from './kubectl.ts';
import { startPod } from './pod.ts';

const { hooklet, example } = inject('images');
const plane = sharedControlPlane();
const folder = fileURLToPath(new URL('../../examples/101-monitor-pods/manifests', import.meta.url));
const namespace = 'example-monitor-pods';
let kubectl: Kubectl;
let deployment: JsonObject = {};

beforeAll(async () => {
  kubectl = await adminKubectl(plane);
  await kubectl(['apply', '-f', `${folder}/deploy.yaml`]);
  deployment = readManifests(`${folder}/deploy.yaml`).find(({ kind }) => kind === 'Deployment') ?? {};
});
afterAll(async () => kubectl[Symbol.asyncDispose]());

function printed({ entries }: Container): readonly string[] {
  return entries.filter(({ msg }) => msg !== 'hook finished').map((entry) => JSON.stringify(entry));
}

describe('an image with hooks on top', { timeout: 240_000 }, () => {
  it('runs them in a Pod of its Deployment', async () => {
    await using pod = await startPod({ plane, image: example, deployment });
    await until(async () => expect((await pod.ask('/readyz')).status).toBe(200));

    await kubectl(['apply', '-n', namespace, '-f', `${folder}/try/pod.yaml`]);

    await until(() => expect(printed(pod.container).join('\n')).toContain('Pod web is new and runs nginx:1.29'));
    expect((await pod.container.stop()).exitCode).toBe(0);
  });
});

describe('hooks that are mounted', { timeout: 240_000 }, () => {
  it('have the programs, the package and the library of the image', async () => {
    const hooks = fileURLToPath(new URL('hooks', import.meta.url));
    await using pod = await startPod({ plane, image: hooklet, deployment, mounts: { '/hooks': hooks } });

    await until(async () => expect((await pod.ask('/readyz')).status).toBe(200));

    await until(() => {
      const lines = printed(pod.container).join('\n');
      expect(lines).toContain('executable hook');
      expect(lines).toContain('library hook, onStartup, in /hooks');
      expect(lines).toMatch(/tools hook, server v1\.\S+, may list secrets: no/);
    });
    expect((await pod.ask('/metrics/hooks')).text).toContain('executable_ran{hook="executable.ts"} 1');
    expect((await pod.container.stop()).exitCode).toBe(0);
  });
});
