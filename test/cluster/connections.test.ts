import { describe } from 'vitest';
import { cellsOf, limitOf } from '../support/matrix/cell.ts';
import { startClusterWorld } from '../support/matrix/cluster-world.ts';
import { describeMatrix } from '../support/matrix/laws.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();

describe('on a real API server, a connection that is struck at one of its stages', { timeout: 240_000 }, () => {
  // Each of the long storms is tested over only one of the two ways to the server.
  const long = cellsOf(30_000).filter(({ way }, index) => (way === 'direct') === (index % 2 === 0));
  const cells = [...[0, 2000].flatMap(cellsOf), ...long];
  const world = async () => startClusterWorld(plane, 'connections');
  describeMatrix({ title: 'kube-apiserver', cells, world });
});

describe('the same while other processes keep both cores busy', { timeout: 240_000 }, () => {
  const cells = [0, 2000].flatMap(cellsOf).filter((cell) => limitOf(cell) <= 5000);
  const world = async () => startClusterWorld(plane, 'connections-busy');
  describeMatrix({ title: 'kube-apiserver, both cores busy', cells, world, busyCores: 2 });
});
