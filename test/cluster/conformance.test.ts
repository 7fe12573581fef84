import { conformanceSuite } from '@hooklet/sandbox/conformance';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();

conformanceSuite(() => ({
  url: plane.url,
  ca: plane.ca,
  token: plane.tokenOf('admin'),
  // The API server answers from its own memory of the past as well, so it has to forget with etcd.
  compact: async () => {
    await plane.killApiserver();
    await plane.compactEtcd();
    await plane.startApiserver();
  },
}));
