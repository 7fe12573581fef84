import { KubeError } from '../../errors.ts';
import type { KubeClient, KubeRequest } from '../../kube/client.ts';

/**
 * The client of a cluster that is only looked at: a request that is not GET is refused before it leaves this process.
 * Whatever reads the real cluster of `hooklet dev --against` is given this client alone.
 */
export function readOnly(client: KubeClient): KubeClient {
  return {
    request: async (request, signal) => client.request(checked(request), signal),
    bytes: async (request, signal) => client.bytes(checked(request), signal),
    lines: (request, stream) => client.lines(checked(request), stream),
    chunks: (request, stream) => client.chunks(checked(request), stream),
    close: async () => client.close(),
  };
}

function checked(request: KubeRequest): KubeRequest {
  const { method, path } = request;
  if (method === 'GET') return request;
  const failure = { status: 0, reason: 'ReadOnly' };
  throw new KubeError(`${method} ${path}: the cluster of --against is only read, and this was not sent`, failure);
}
