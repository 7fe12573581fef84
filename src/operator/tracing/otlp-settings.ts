import { UsageError } from '../../errors.ts';
import { urlText } from '../../lib/url-text.ts';

/** How spans are sent. */
export type OtlpProtocol = 'grpc' | 'http/protobuf' | 'http/json';

/** Where spans are sent to; what is absent the exporter takes from its standard variables. */
export interface OtlpSettings {
  readonly protocol: OtlpProtocol;
  readonly url?: string;
  /** The value of the header `Authorization`. */
  readonly authorization?: string;
  /** The address for the log, without user and password. */
  readonly shown: string;
}

type Env = Readonly<Record<string, string | undefined>>;

const PROTOCOLS: readonly OtlpProtocol[] = ['grpc', 'http/protobuf', 'http/json'];
const PEER = 'TRACING_OTLP_ENDPOINT';
const PATH = '/v1/traces';
const SCHEME = /^[a-z]+:\/\//i;

/**
 * Reads where traces go from the environment: `TRACING_OTLP_ENDPOINT`, as in shell-operator, or else the standard
 * variables of OpenTelemetry. Undefined without an endpoint. Throws `UsageError` for one that is none.
 */
export function otlpSettings(env: Env): OtlpSettings | undefined {
  const isOff = env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none';
  if (isOff) return undefined;
  const peer = env[PEER]?.trim() ?? '';
  return peer === '' ? standardSettings(env) : peerSettings(peer, env);
}

/** `collector:4317` is gRPC without TLS, as in shell-operator; a URL says more. */
function peerSettings(endpoint: string, env: Env): OtlpSettings {
  const token = env['TRACING_OTLP_AUTH_TOKEN']?.trim() ?? '';
  const authorization = token === '' ? {} : { authorization: `Bearer ${token}` };
  const hasScheme = SCHEME.test(endpoint);
  const url = parseUrl(PEER, hasScheme ? endpoint.replace(/^grpc/i, 'http') : `http://${endpoint}`);
  const protocol = hasScheme && !/^grpc/i.test(endpoint) ? protocolOf(env) : 'grpc';
  if (protocol !== 'grpc' && !url.pathname.endsWith(PATH)) url.pathname = url.pathname.replace(/\/*$/, PATH);
  return { protocol, url: url.href, ...authorization, shown: urlText(url) };
}

function standardSettings(env: Env): OtlpSettings | undefined {
  const names = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
  const name = names.find((one) => (env[one]?.trim() ?? '') !== '');
  if (name === undefined) return undefined;
  const protocol = protocolOf(env);
  const given = env[name]?.trim() ?? '';
  const url = parseUrl(name, protocol === 'grpc' && !SCHEME.test(given) ? `https://${given}` : given);
  return { protocol, shown: urlText(url) };
}

function parseUrl(name: string, text: string): URL {
  const url = URL.parse(text);
  if (url !== null && url.hostname !== '' && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(`${name}: got ${JSON.stringify(text)}, expected a URL such as http://collector:4318`);
}

function protocolOf(env: Env): OtlpProtocol {
  const names = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'];
  const name = names.find((one) => (env[one]?.trim() ?? '') !== '');
  if (name === undefined) return 'http/protobuf';
  const given = env[name]?.trim() ?? '';
  const protocol = PROTOCOLS.find((one) => one === given);
  if (protocol !== undefined) return protocol;
  throw new UsageError(`${name}: got ${JSON.stringify(given)}, expected one of ${PROTOCOLS.join(', ')}`);
}
