import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requestView } from '../../src/sources/http/request-view.ts';
import { examplesDir, type ExampleRig, startExample } from '../support/example-rig.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { until } from '../support/operator-rig.ts';
import { runScript } from '../support/script-rig.ts';

const HOOK = join(examplesDir, '130-http-trigger', 'hooks', 'redeploy.sh');
const DEPLOYMENTS = [
  { filterResult: { name: 'docs', repository: 'handbook' } },
  { filterResult: { name: 'web', repository: 'shop' } },
  { filterResult: { name: 'worker', repository: 'shop' } },
];

interface Sent {
  readonly event?: string;
  readonly ref?: string;
  readonly repository?: string;
}

/** The context of what GitHub sends, at the given second. */
function contextOf({ event = 'push', ref = 'refs/heads/main', repository = 'shop' }: Sent, second = 0): object {
  const request = requestView({
    method: 'POST',
    path: '/trigger/redeploy.sh/push',
    query: new URLSearchParams(),
    headers: { 'content-type': 'application/json', 'x-github-event': event },
    body: Buffer.from(JSON.stringify({ ref, repository: { name: repository } })),
  });
  return {
    binding: 'push',
    type: 'Http',
    receivedAt: `2026-01-02T03:04:0${second}Z`,
    request: JSON.parse(request) as unknown,
    snapshots: { deployments: DEPLOYMENTS },
  };
}

const restart = (name: string, second: number): object => ({
  operation: 'MergePatch',
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: 'shop',
  name,
  ignoreMissingObject: true,
  mergePatch: {
    spec: {
      template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': `2026-01-02T03:04:0${second}Z` } } },
    },
  },
});

/** A push to the main branch of a repository, as GitHub sends it: signed with the secret. */
async function push(example: ExampleRig, repository: string, secret: string): Promise<Response> {
  const body = JSON.stringify({ ref: 'refs/heads/main', repository: { name: repository } });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'push',
    'x-hub-signature-256': `sha256=${signature}`,
  };
  return fetch(`${example.operator.url()}/trigger/redeploy.sh/push?wait=30s`, { method: 'POST', headers, body });
}

describe('130-http-trigger', { timeout: 60_000 }, () => {
  it('restarts the Deployments of a repository when GitHub says so, and nothing when a stranger does', async () => {
    using tmp = temporaryFolder();
    const file = join(tmp.path, 'secret');
    writeFileSync(file, 'right');
    const env = { GITHUB_SECRET_FILE: file };
    await using example = await startExample('130-http-trigger', { env, before: ['deployments.yaml'] });
    await until(async () => expect((await fetch(`${example.operator.url()}/readyz`)).status).toBe(200));
    const annotated = async (name: string): Promise<boolean> => {
      const deployment = await example.get(`/apis/apps/v1/namespaces/${example.namespace}/deployments/${name}`);
      return JSON.stringify(deployment).includes('restartedAt');
    };

    const stranger = await push(example, 'handbook', 'wrong');
    const known = await push(example, 'shop', 'right');

    expect([stranger.status, known.status]).toEqual([401, 200]);
    expect([await annotated('docs'), await annotated('web')]).toEqual([false, true]);
    expect([example.rbac.refused(), example.rbac.unused()]).toEqual([[], []]);
  });

  it('restarts the Deployments of each repository that was pushed to, as of the time of the request', async () => {
    const contexts = [
      contextOf({}, 1),
      contextOf({ repository: 'handbook' }, 2),
      contextOf({ repository: 'other' }, 3),
    ];

    const { patch, printed } = await runScript(HOOK, { contexts, env: { POD_NAMESPACE: 'shop' } });

    const operations = patch
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(operations).toEqual([restart('web', 1), restart('worker', 1), restart('docs', 2)]);
    expect(printed).toEqual(['restarting web', 'restarting worker', 'restarting docs']);
  });

  it('changes nothing for a ping, and for a push to another branch', async () => {
    const contexts = [contextOf({ event: 'ping' }), contextOf({ ref: 'refs/heads/other' })];

    expect(await runScript(HOOK, { contexts })).toMatchObject({ outcome: 'done', patch: '', printed: [] });
  });
});
