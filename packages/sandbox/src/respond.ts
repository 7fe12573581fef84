import { answer, type Api } from './api.ts';
import type { ApiRequest, Reply } from './api-request.ts';
import { warningHeaders } from './warning-headers.ts';
import { loadCelLibrary } from './webhooks/cel-library.ts';
import { withCalls } from './webhooks/with-calls.ts';

/**
 * Answers one request: at once, unless there are webhooks or converters; then when all that have a say in it were
 * called.
 */
export function respond(given: Api, request: ApiRequest): Reply | Promise<Reply> {
  const api = impersonating(given, request);
  const { webhooks, kinds } = api.cluster;
  if (writesWebhooks(request)) return loadCelLibrary().then(() => respondWithCalls(api, request));
  if (webhooks.isEmpty && !kinds.hasConverters) return answer(api, request);
  return respondWithCalls(api, request);
}

/** The user whom the request is made as; everybody may do that here. */
function impersonating(api: Api, { headers }: ApiRequest): Api {
  const user = headers['impersonate-user'];
  if (user === undefined) return api;
  const groups = (headers['impersonate-group'] ?? '').split(',').map((group) => group.trim());
  const known = groups.filter((group) => group !== '' && group !== 'system:authenticated');
  return { ...api, cluster: { ...api.cluster, user, groups: [...known, 'system:authenticated'] } };
}

/** Whether a request may register webhooks, whose match conditions are compiled then. */
function writesWebhooks({ method, path }: ApiRequest): boolean {
  return method !== 'GET' && path.includes('webhookconfigurations');
}

function respondWithCalls(api: Api, request: ApiRequest): Promise<Reply> {
  return withCalls(api.cluster, (cluster) =>
    withWarnings(answer({ ...api, cluster }, request), cluster.scope.warnings),
  );
}

function withWarnings(reply: Reply, warnings: readonly string[]): Reply {
  const headers = warningHeaders(warnings);
  if (headers.length === 0 || (reply.type !== 'json' && reply.type !== 'text')) return reply;
  return { ...reply, headers: { ...reply.headers, Warning: headers } };
}
