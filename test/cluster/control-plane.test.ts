import { describe, expect, it, vi } from 'vitest';
import { connect } from '@hooklet/sandbox/conformance';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();

describe('the control plane of the tests', () => {
  it('knows its users, and lets only admin do everything', async () => {
    const admin = connect({ ...plane, token: plane.tokenOf('admin') });
    const nobody = connect({ ...plane, token: plane.tokenOf('nobody') });

    expect((await admin.get('/api/v1/nodes')).status).toBe(200);
    expect((await nobody.get('/api/v1/nodes')).status).toBe(403);
  });

  it('stands still without its controllers, and goes on when they are back', async () => {
    const admin = connect({ ...plane, token: plane.tokenOf('admin') });
    const name = `still-${crypto.randomUUID()}`;
    const accounts = `/api/v1/namespaces/${name}/serviceaccounts`;

    await plane.stopControllers();
    await admin.post('/api/v1/namespaces', { metadata: { name } });
    expect((await admin.get(accounts)).body).toMatchObject({ items: [] });
    await plane.startControllers();

    await vi.waitFor(
      async () =>
        expect((await admin.get(accounts)).body).toMatchObject({ items: [{ metadata: { name: 'default' } }] }),
      { timeout: 90_000 },
    );
    await admin.delete(`/api/v1/namespaces/${name}`);
  });

  it('comes back at the same place after its API server was killed', async () => {
    const admin = connect({ ...plane, token: plane.tokenOf('admin') });

    await plane.killApiserver();
    await expect(admin.get('/version')).rejects.toThrow('ECONNREFUSED');
    await plane.startApiserver();

    expect((await admin.get('/version')).status).toBe(200);
  });
});
