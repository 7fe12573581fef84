import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, ServerCredentials, type Metadata } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';

/** A span as OTLP has it in JSON. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly events?: readonly { readonly name: string; readonly timeUnixNano: string }[];
  readonly status?: { readonly code?: number; readonly message?: string };
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** One request to a collector. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A collector over HTTP. */
export interface HttpCollector {
  readonly url: string;
  readonly requests: readonly Received[];
  /** The spans of all requests, which were JSON. */
  spans(): readonly OtlpSpan[];
  /** The attributes of the first resource. */
  resource(): Readonly<Record<string, unknown>>;
  /** How it answers from now on: with a status, or never. */
  answer(how: number | 'never'): void;
}

/** Starts a collector that takes OTLP over HTTP; it ends with the test. */
export async function httpCollector(first: number | 'never' = 200): Promise<HttpCollector> {
  const requests: Received[] = [];
  let how = first;
  const url = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
      if (how !== 'never') response.writeHead(how, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const sent = (): OtlpRequest['resourceSpans'] =>
    requests.flatMap(({ body }) => (JSON.parse(body.toString()) as OtlpRequest).resourceSpans);
  return {
    url,
    requests,
    spans: () => sent().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    resource: () => attributesOf(sent()[0]?.resource ?? { attributes: [] }),
    answer: (next) => {
      how = next;
    },
  };
}

/** The attributes by name. */
export function attributesOf({ attributes }: Pick<OtlpSpan, 'attributes'>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

async function serve(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** A collector over gRPC. */
export interface GrpcCollector {
  /** `127.0.0.1:4317`. */
  readonly address: string;
  readonly requests: readonly { readonly metadata: Metadata; readonly body: Buffer }[];
}

const plain = (bytes: Buffer): Buffer => bytes;

/** Starts a collector that takes OTLP over gRPC; it ends with the test. */
export async function grpcCollector(): Promise<GrpcCollector> {
  const requests: { readonly metadata: Metadata; readonly body: Buffer }[] = [];
  const server = new Server();
  const method = {
    path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    requestStream: false,
    responseStream: false,
    requestSerialize: plain,
    requestDeserialize: plain,
    responseSerialize: plain,
    responseDeserialize: plain,
  } as const;
  server.addService(
    { Export: method },
    {
      Export: (
        call: { readonly request: Buffer; readonly metadata: Metadata },
        callback: (error: null, response: Buffer) => void,
      ) => {
        requests.push({ metadata: call.metadata, body: call.request });
        callback(null, Buffer.alloc(0));
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  onTestFinished(() => server.forceShutdown());
  return { address: `127.0.0.1:${port}`, requests };
}
