import { conformanceSuite } from '@hooklet/sandbox/conformance';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();

conformanceSuite(() => ({
  url: plane.url,
  ca: plane.ca,
  token: plane.tokenOf('admin'),
  // The API server also answers from its own cache of the past, so it must forget when etcd is compacted.
  compact: async () => {
    await plane.killApiserver();
    await plane.compactEtcd();
    await plane.startApiserver();
  },
}));
