import { describe, expect, it } from 'vitest';
import { createRoutes, routeTo } from '../../src/server/routes.ts';

const sick = { checks: [{ name: 'startup', isOk: false, message: 'not yet' }] };
const well = { checks: [{ name: 'startup', isOk: true, message: '' }] };

describe('the pages', () => {
  it.each([
    { path: '/metrics', status: 200, body: 'a 1\n' },
    { path: '/metrics/hooks', status: 200, body: 'b 2\n' },
    { path: '/healthz', status: 200, body: 'ok\n' },
    { path: '/readyz', status: 503, body: '[-]startup: not yet\nreadyz check failed\n' },
    { path: '/readyz/webhooks', status: 200, body: 'ok\n' },
  ])('$path answers $status', async ({ path, status, body }) => {
    expect(await page(path, { health: sick })).toMatchObject({ status, body });
  });

  it('the process is alive as long as it answers, whatever is not ready', async () => {
    expect(await page('/healthz', { health: sick })).toMatchObject({ status: 200 });
  });

  it('the process is not alive when its own checks say so', async () => {
    expect(await page('/healthz', { health: well, liveness: sick })).toMatchObject({ status: 500 });
  });

  it.each([
    { query: 'verbose', body: '[+]startup ok\nreadyz check passed\n' },
    { query: 'verbose=true', body: '[+]startup ok\nreadyz check passed\n' },
    { query: 'verbose=false', body: 'ok\n' },
    { query: '', body: 'ok\n' },
  ])('/readyz?$query', async ({ query, body }) => {
    expect(await page('/readyz', { health: well, query })).toMatchObject({ status: 200, body });
  });

  it('/readyz/webhooks has checks of its own', async () => {
    const options = { health: well, webhookHealth: sick };

    expect(await page('/readyz', options)).toMatchObject({ status: 200 });
    expect(await page('/readyz/webhooks', options)).toMatchObject({
      status: 503,
      body: '[-]startup: not yet\nreadyz/webhooks check failed\n',
    });
  });

  it('the index links all others', async () => {
    const { body } = await page('/', { health: well });

    for (const path of [
      '/metrics',
      '/metrics/hooks',
      '/healthz',
      '/readyz?verbose',
      '/readyz/webhooks?verbose',
      '/discovery',
      '/debug/pprof/',
    ]) {
      expect(body).toContain(`href="${path}"`);
    }
  });

  it('discovery lists all paths', async () => {
    const { status, body } = await page('/discovery', { health: well });

    expect([status, body]).toEqual([
      200,
      'GET /\nGET /discovery\nGET /healthz\nGET /metrics\nGET /metrics/hooks\nGET /readyz\nGET /readyz/webhooks\nGET /debug/pprof/*\n',
    ]);
  });

  it.each([
    ['/debug/pprof/', 200],
    ['/debug/pprof', 200],
    ['/debug/pprof/profile', 501],
    ['/debug/pprof/heap', 501],
  ])('profiles are not on this port', async (path, status) => {
    expect(await page(path, { health: well })).toMatchObject({
      status,
      type: 'text/plain',
      body: expect.stringContaining('They are given on the control socket'),
    });
  });
});

interface PageOptions {
  readonly health: typeof sick;
  readonly webhookHealth?: typeof sick;
  readonly liveness?: typeof sick;
  readonly query?: string;
}

async function page(path: string, { health, webhookHealth = well, liveness, query = '' }: PageOptions) {
  const routes = createRoutes({
    metricsText: () => 'a 1\n',
    hookMetricsText: async () => 'b 2\n',
    health: () => health,
    webhookHealth: () => webhookHealth,
    ...(liveness !== undefined && { liveness: () => liveness }),
  });
  const route = routeTo(routes, path);
  if (route === undefined) throw new Error(`no route ${path}`);
  const { body, ...rest } = await route(new URLSearchParams(query));
  return { ...rest, body: String(body) };
}
