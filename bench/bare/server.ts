import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';

const { BARE_URL: url = '', BARE_CA: ca = '', BARE_TOKEN: token = '' } = process.env;
const agent = new Agent({ keepAlive: true, ca });

export interface Question {
  readonly method?: string;
  readonly contentType?: string;
  readonly body?: string;
}

/**
 * Sends a request to the API server with plain Node: HTTP/1.1, one connection unless several requests are under way.
 */
export async function send(
  path: string,
  { method = 'GET', contentType, body }: Question = {},
): Promise<IncomingMessage> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(contentType !== undefined && { 'content-type': contentType }),
    ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
  };
  const sending = request(`${url}${path}`, { agent, method, headers });
  sending.end(body);
  return new Promise((resolve, reject) => {
    sending.once('response', resolve).once('error', reject);
  });
}
