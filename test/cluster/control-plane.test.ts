import { describe, expect, it } from 'vitest';
import { connect } from '../conformance/client.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();

describe('the control plane of the tests', () => {
  it('knows its users, and lets only admin do everything', async () => {
    const admin = connect({ ...plane, token: plane.tokenOf('admin') });
    const nobody = connect({ ...plane, token: plane.tokenOf('nobody') });

    expect((await admin.get('/api/v1/nodes')).status).toBe(200);
    expect((await nobody.get('/api/v1/nodes')).status).toBe(403);
  });

  it('comes back at the same place after its API server was killed', async () => {
    const admin = connect({ ...plane, token: plane.tokenOf('admin') });

    await plane.killApiserver();
    await expect(admin.get('/version')).rejects.toThrow('ECONNREFUSED');
    await plane.startApiserver();

    expect((await admin.get('/version')).status).toBe(200);
  });
});
