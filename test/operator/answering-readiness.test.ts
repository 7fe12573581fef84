import { describe, expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { answeringReadiness } from '../../src/operator/webhooks/answering-readiness.ts';
import type { HealthCheck } from '../../src/server/health.ts';
import { recordingHook, sandboxCluster, until } from '../support/operator-rig.ts';
import { startWebhooks, type WebhookRig } from '../support/webhook-rig.ts';

const server: HealthCheck = { name: 'webhook-server', isOk: true, message: '' };
const broken: HealthCheck = { name: 'hook bad.sh', isOk: false, message: 'bad', isPartial: true };

const RULES = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }];
const webhook = { configVersion: 'v1', kubernetesValidating: [{ name: 'a.example.com', rules: RULES }] };
const answers = recordingHook(webhook, `echo '{"allowed": true}' > "$VALIDATING_RESPONSE_PATH"`);
const unread = recordingHook({ configVersion: 'v1', schedule: [{ crontab: '0 0 31 2 *' }] });

async function pageOf(rig: WebhookRig, path: string): Promise<string> {
  const response = await fetch(`${rig.url()}${path}?verbose`);
  return `${response.status} ${await response.text()}`;
}

describe('the readiness of a replica for the Services of webhooks', () => {
  it('fails because of some hooks alone only until everything has passed once', () => {
    let now: readonly HealthCheck[] = [server, broken];
    const checks = answeringReadiness(() => now);

    expect(checks()).toEqual([server, broken]);
    now = [server];
    expect(checks()).toEqual([server]);
    now = [server, broken];
    expect(checks()).toEqual([server, { ...broken, isOk: true, isTolerated: true }]);
    now = [{ ...server, isOk: false }];
    expect(checks()).toEqual(now);
  });

  it('is no matter of a hook that breaks, a watch without its kind, or a hook that fails at the start', async () => {
    const sandbox = await sandboxForTest();
    const watch = { name: 'w', apiVersion: 'example.com/v1', kind: 'Absent' };
    const hooks = {
      'a.sh': answers,
      'start.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }, 'exit 1'),
      'watch.sh': recordingHook({ configVersion: 'v1', kubernetes: [watch] }),
      'z.sh': unread,
    };
    await using rig = await startWebhooks({ connect: sandboxCluster(sandbox), hooks });
    await until(async () => expect(await pageOf(rig, '/readyz/webhooks')).toContain('[+]webhook-server ok'));
    expect(await pageOf(rig, '/readyz/webhooks')).toMatch(/^503 [^]*\[-\]hook z\.sh: .*its config has 1 problem/);

    rig.change('z.sh');
    await until(async () => expect(await pageOf(rig, '/readyz/webhooks')).toMatch(/^200 \[\+\]hooks ok\n/));
    rig.change('z.sh', unread);
    await until(async () => expect(await pageOf(rig, '/readyz/webhooks')).toContain('[!]hook z.sh: '));

    expect(await pageOf(rig, '/readyz/webhooks')).toMatch(/^200 [^]*readyz\/webhooks check passed\n$/);
    expect(await pageOf(rig, '/readyz')).toMatch(/^503 [^]*\[-\]startup: [^]*\[-\]hook z\.sh: /);
    expect((await rig.review('/hooks/a-example-com')).response).toMatchObject({ allowed: true });
  }, 60_000);
});
