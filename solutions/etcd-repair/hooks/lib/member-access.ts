import * as http from 'node:http';
import * as https from 'node:https';
import { tlsFiles } from './grpc.ts';

/** How members are asked over HTTP and gRPC, beside etcdctl. */
export interface MemberAccess {
  readonly timeoutMs: number;
  /** Where `/metrics` and `/debug/vars` are, if not at the client URL. */
  readonly httpPort?: number;
  /** With the certificates and the user, in the variables of etcdctl; of this process by default. */
  readonly env?: NodeJS.ProcessEnv;
  /** Ends a request. */
  readonly signal?: AbortSignal;
}

const MOST_BYTES = 4 * 1024 * 1024;

/** The URL at which a member serves `/metrics` and `/debug/vars`; not every client URL does. */
export function httpUrl({ httpPort }: MemberAccess, endpoint: string, path: string): URL {
  const url = new URL(path, endpoint);
  if (httpPort !== undefined) url.port = String(httpPort);
  return url;
}

/** What a member answers at a path over HTTP; rejects unless that is a success of 4 MiB at most. */
export async function httpText(access: MemberAccess, endpoint: string, path: string): Promise<string> {
  const { timeoutMs, env, signal } = access;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const url = httpUrl(access, endpoint, path);
  const limit = AbortSignal.timeout(timeoutMs);
  const options = { signal: signal === undefined ? limit : AbortSignal.any([signal, limit]), agent: false };
  const answered = (response: http.IncomingMessage): void => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (part: string) => {
      text += part;
      if (text.length > MOST_BYTES) response.destroy(new Error(`more than ${MOST_BYTES} bytes`));
    });
    response.on('error', reject);
    response.on('end', () =>
      response.statusCode === 200 ? resolve(text) : reject(new Error(`HTTP ${response.statusCode}`)),
    );
  };
  const request =
    url.protocol === 'https:'
      ? https.get(url, { ...options, ...tlsFiles(env) }, answered)
      : http.get(url, options, answered);
  request.on('error', reject);
  return promise;
}
