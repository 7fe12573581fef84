import { describe, expect, it } from 'vitest';
import { asking, sandboxForTest, widgetDefinition } from './support/sandbox.ts';

const deployment = '/apis/apps/v1/namespaces/default/deployments/d';
const merge = 'application/merge-patch+json';
const spec = {
  selector: { matchLabels: { app: 'web', tier: 'front' } },
  template: { metadata: { labels: { app: 'web', tier: 'front' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
};

describe('the scale of an object', () => {
  it('shows and sets the replicas of a workload', async () => {
    const sandbox = await sandboxForTest();
    const ask = asking(sandbox);
    await sandbox.apply({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec });

    expect((await ask('GET', `${deployment}/scale`)).body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 1 },
      status: { replicas: 0, selector: 'app=web,tier=front' },
    });
    expect((await ask('PATCH', `${deployment}/scale`, { spec: { replicas: 5 } }, merge)).body).toMatchObject({
      spec: { replicas: 5 },
    });
    expect((await ask('GET', deployment)).body).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 5 } });
  });

  it('follows the paths that a definition names', async () => {
    const sandbox = await sandboxForTest();
    const ask = asking(sandbox);
    await sandbox.apply(widgetDefinition());
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { color: 'red' } };
    await sandbox.apply(widget);
    const path = '/apis/example.com/v1/namespaces/default/widgets/w';
    await ask('PATCH', `${path}/status`, { status: { replicas: 2, selector: 'a=b' } }, merge);

    const scaled = await ask('PUT', `${path}/scale`, {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'w', namespace: 'default' },
      spec: { replicas: 4 },
    });

    expect(scaled.body).toMatchObject({ spec: { replicas: 4 }, status: { replicas: 2, selector: 'a=b' } });
    expect((await ask('GET', path)).body).toMatchObject({ spec: { color: 'red', replicas: 4 } });
  });

  it.each([
    [{ metadata: { name: 'd' }, spec: { replicas: -1 } }, 422, 'must be greater than or equal to 0'],
    [{ metadata: { name: 'other' }, spec: { replicas: 1 } }, 400, 'does not match the name on the URL (d)'],
    [{ metadata: { name: 'd', resourceVersion: '1' }, spec: { replicas: 9 } }, 409, 'the object has been modified'],
  ])('%j is refused with %d', async (body, code, message) => {
    const sandbox = await sandboxForTest();
    await sandbox.apply({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec });

    expect((await asking(sandbox)('PUT', `${deployment}/scale`, body)).body).toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });
});
