import { readFileSync } from 'node:fs';
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';

export interface Call {
  readonly endpoint: string;
  /** Such as `/etcdserverpb.Maintenance/Alarm`. */
  readonly path: string;
  readonly message: Uint8Array;
  readonly token?: string;
  readonly timeoutMs: number;
  /** With the certificates, in the variables of etcdctl; of this process by default. */
  readonly env?: NodeJS.ProcessEnv;
}

const FRAME_HEAD_BYTES = 5;
const MAX_ANSWER_BYTES = 64 * 1024;

/** Makes one unary call on a connection of its own; rejects with the message of the server. */
export async function call(request: Call): Promise<Buffer> {
  const session = connect(request.endpoint, tlsFiles(request.env));
  const failed = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => failed.reject(new Error(`${request.endpoint} did not answer within ${request.timeoutMs / 1000}s`)),
    request.timeoutMs,
  );
  session.on('error', failed.reject);
  try {
    return await Promise.race([answerTo(session, request), failed.promise]);
  } finally {
    clearTimeout(timer);
    session.destroy();
  }
}

/** The files that etcdctl is given. */
export function tlsFiles(env: NodeJS.ProcessEnv = process.env): {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
} {
  const file = (path: string | undefined): Buffer | undefined => (path ? readFileSync(path) : undefined);
  const [ca, cert, key] = [env['ETCDCTL_CACERT'], env['ETCDCTL_CERT'], env['ETCDCTL_KEY']].map(file);
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

async function answerTo(session: ClientHttp2Session, { path, message, token }: Call): Promise<Buffer> {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...(token !== undefined && { token }),
  });
  let status: IncomingHttpHeaders = {};
  // A call that is refused immediately has its status in the headers.
  stream.on('response', (headers) => (status = headers));
  stream.on('trailers', (trailers) => (status = { ...status, ...trailers }));
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUInt32BE(message.length, 1);
  stream.end(Buffer.concat([head, message]));
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`${path} was answered with more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  if (status['grpc-status'] !== '0') throw new Error(`${path} was refused: ${refusalIn(status)}`);
  return Buffer.concat(chunks).subarray(FRAME_HEAD_BYTES);
}

function refusalIn(status: IncomingHttpHeaders): string {
  const said = status['grpc-message'];
  if (typeof said === 'string' && said !== '') return decoded(said);
  return `HTTP status ${String(status[':status'])}, grpc-status ${String(status['grpc-status'])}`;
}

/** A text that is not encoded as it should be is told as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
