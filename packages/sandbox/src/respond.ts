import { answer, type Api } from './api.ts';
import type { ApiRequest, Reply } from './api-request.ts';
import { warningHeaders } from './warning-headers.ts';
import { withCalls } from './webhooks/with-calls.ts';

/**
 * Answers one request: at once, unless there are webhooks or converters; then when all that have a say in it were
 * called.
 */
export function respond(api: Api, request: ApiRequest): Reply | Promise<Reply> {
  const { webhooks, kinds } = api.cluster;
  if (webhooks.isEmpty && !kinds.hasConverters) return answer(api, request);
  return withCalls(api.cluster, (cluster) =>
    withWarnings(answer({ ...api, cluster }, request), cluster.scope.warnings),
  );
}

function withWarnings(reply: Reply, warnings: readonly string[]): Reply {
  const headers = warningHeaders(warnings);
  if (headers.length === 0 || (reply.type !== 'json' && reply.type !== 'text')) return reply;
  return { ...reply, headers: { ...reply.headers, Warning: headers } };
}
