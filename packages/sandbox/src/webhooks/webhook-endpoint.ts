import { at, numberAt, objectAt, textAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import { callFailure, type CallFailure, type WebhookCall } from './webhook-call.ts';

/** Where a webhook is, and how its certificate is verified. */
export interface Endpoint {
  readonly type: 'endpoint';
  /** The URL in messages, with the timeout. */
  readonly url: string;
  /** The server to connect to. */
  readonly connectTo: URL;
  /** The name in the certificate, if it is not the host. */
  readonly serverName: string | undefined;
  /** The certificate authorities, in PEM; undefined for those of the system. */
  readonly ca: string | undefined;
}

/** The https URL of a service's port, or why there is none. */
export type FindService = (
  namespace: string,
  name: string,
  port: number,
) => { readonly url: string } | { readonly problem: string };

/** Finds the server of a `clientConfig`. */
export function endpointOf(
  { clientConfig, timeoutSeconds }: WebhookCall,
  findService: FindService,
): Endpoint | CallFailure {
  const bundle = Buffer.from(textAt(clientConfig, 'caBundle'), 'base64').toString('utf8');
  if (bundle !== '' && !bundle.includes('-----BEGIN CERTIFICATE-----')) {
    const message = 'unable to load root certificates: unable to parse bytes as PEM block';
    return { type: 'failure', stage: 'client', message };
  }
  const ca = bundle === '' ? undefined : bundle;
  const query = `?timeout=${timeoutSeconds}s`;
  if (at(clientConfig, 'service') === undefined) return urlEndpoint(textAt(clientConfig, 'url'), query, ca);
  return serviceEndpoint(objectAt(clientConfig, 'service'), query, ca, findService);
}

function urlEndpoint(url: string, query: string, ca: string | undefined): Endpoint | CallFailure {
  const connectTo = urlOf(url);
  if (connectTo === undefined) return callFailure(`Post "${url}${query}": invalid URL`);
  const shown = `${url}${connectTo.pathname === '/' && !url.endsWith('/') ? '/' : ''}${query}`;
  return { type: 'endpoint', url: shown, connectTo, serverName: undefined, ca };
}

function serviceEndpoint(
  service: JsonObject,
  query: string,
  ca: string | undefined,
  findService: FindService,
): Endpoint | CallFailure {
  const [namespace, name] = [textAt(service, 'namespace'), textAt(service, 'name')];
  const port = numberAt(service, 'port') ?? 443;
  const path = textAt(service, 'path') || '/';
  const serverName = `${name}.${namespace}.svc`;
  const url = `https://${serverName}:${port}${path}${query}`;
  const found = findService(namespace, name, port);
  if ('problem' in found) return callFailure(`Post "${url}": ${found.problem}`);
  const connectTo = urlOf(found.url);
  if (connectTo === undefined)
    return callFailure(`Post "${url}": the service was resolved to ${found.url}, which is no URL`);
  return { type: 'endpoint', url, connectTo, serverName, ca };
}

function urlOf(text: string): URL | undefined {
  const url = URL.parse(text);
  return url?.protocol === 'https:' ? url : undefined;
}
