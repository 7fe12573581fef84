/* The sandbox as the operator of a world sees it: without sockets, and with a door that can be shut at any instant. */

import type { Sandbox } from '@hooklet/sandbox';
import type { Cluster } from '../../kube/credentials/cluster.ts';
import type { Carrier, HttpRequest, HttpResponse } from '../../kube/http/http.ts';
import type { Transport } from '../../kube/http/transport.ts';

/** A cluster whose requests can be cut off. */
export interface DrivenCluster {
  readonly cluster: Cluster;
  /** From now on no request reaches the sandbox, and nothing that it sends is received. */
  shut(): void;
}

/** `tokenOf` returns the token of a request that is made now. */
export function drivenCluster(sandbox: Pick<Sandbox, 'send' | 'url'>, tokenOf: () => string): DrivenCluster {
  const open = new Set<HttpResponse>();
  let isShut = false;
  const refused = (): Error =>
    Object.assign(new Error('the world has cut this operator off'), { code: 'ECONNREFUSED' });
  const send = async (request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> => {
    if (isShut) throw refused();
    request.onCarried?.(CARRIER);
    const { method, path, body } = request;
    const headers = { ...plainHeaders(request), authorization: `Bearer ${tokenOf()}` };
    const sent = await sandbox.send({ method, path, headers, ...(body !== undefined && { body }) }, signal);
    const response: HttpResponse = {
      ...sent,
      carrier: CARRIER,
      isTruncated: () => false,
      done: () => open.delete(response),
    };
    open.add(response);
    if (isShut) {
      response.cancel();
      throw refused();
    }
    return response;
  };
  const shut = (): void => {
    isShut = true;
    for (const response of open) response.cancel();
    open.clear();
  };
  const transport: Transport = { send: async (request, _, signal) => send(request, signal), close: shut };
  const credentials = { headers: {}, tls: {} };
  const cluster: Cluster = {
    name: 'sandbox',
    server: new URL(sandbox.url),
    transport,
    authenticate: async () => credentials,
    invalidate: () => {},
  };
  return { cluster, shut };
}

/** What would carry the requests never falls silent. */
const CARRIER: Carrier = { silentForMs: () => 0, lost: new AbortController().signal, isPinged: true };

function plainHeaders({ headers }: HttpRequest): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
  );
}
