import { connect } from '@hooklet/sandbox/conformance';
import type { SharedControlPlane } from '../../cluster/shared-control-plane.ts';
import type { MatrixWorld } from './cell.ts';
import { MatrixWriter } from './writer.ts';

/** A namespace of a real API server with a continuous writer. */
export async function startClusterWorld(
  plane: SharedControlPlane,
  namespace: string,
): Promise<MatrixWorld & AsyncDisposable> {
  const token = plane.tokenOf('admin');
  const api = connect({ url: plane.url, ca: plane.ca, token });
  await api.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const writer = new MatrixWriter({
    async put(name, value) {
      const data = { value: String(value) };
      const { status } = await api.patch(`${path}/${name}`, 'merge', { data });
      if (status === 404) await api.post(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
    },
    remove: async (name) => void (await api.delete(`${path}/${name}`)),
  });
  const controller = new AbortController();
  const writing = writer.run(controller.signal);
  return {
    target: plane,
    token,
    namespace,
    writer,
    async [Symbol.asyncDispose]() {
      controller.abort();
      await writing;
    },
  };
}
