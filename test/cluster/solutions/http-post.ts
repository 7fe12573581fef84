import { request as requestHttp } from 'node:http';
import { request as requestHttps, type RequestOptions } from 'node:https';
import { text } from 'node:stream/consumers';

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends a body on a connection of its own; unlike `fetch` it supports client certificates. */
export async function post(
  url: string,
  body: string,
  options: RequestOptions & { readonly signal: AbortSignal },
): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  const sent = request(url, { ...options, method: 'POST', agent: false });
  sent.on('response', (response) => {
    const { statusCode: status = 0 } = response;
    text(response).then((answer) => resolve({ status, text: answer }), reject);
  });
  sent.on('error', reject);
  sent.end(body);
  return promise;
}
