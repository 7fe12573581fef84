import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePorts } from '../free-ports.ts';

/** A proxy to a correct S3 store that adds defects of other stores. */
export interface OddStore extends AsyncDisposable {
  readonly url: string;
}

export interface Oddity {
  /** For this many milliseconds a listing returns what it first returned. */
  readonly lagMs?: number;
  /** Which listings lag, by their URL; default: all. */
  readonly lagging?: RegExp;
  /** Ignores conditions of requests. */
  readonly ignoresConditions?: boolean;
}

interface Listing {
  readonly atMs: number;
  readonly type: string;
  readonly body: string;
}

/** Starts the proxy in front of the store at a port of this machine. */
export async function startOddStore(
  port: number,
  { lagMs = 0, lagging = /./, ignoresConditions = false }: Oddity,
): Promise<OddStore> {
  const listings = new Map<string, Listing>();
  const pass = (asked: IncomingMessage, answer: ServerResponse): void => {
    const { 'if-none-match': condition, ...headers } = asked.headers;
    const isLeftOut = ignoresConditions || condition === undefined;
    const { url: path, method } = asked;
    const onward = request({
      port,
      path,
      method,
      headers: isLeftOut ? headers : { ...headers, 'if-none-match': condition },
    });
    onward.on('error', () => answer.destroy());
    onward.on('response', (response) => void reply(response, answer, asked));
    asked.pipe(onward);
  };
  const reply = async (
    response: IncomingMessage,
    answer: ServerResponse,
    { url = '' }: IncomingMessage,
  ): Promise<void> => {
    answer.writeHead(response.statusCode ?? 500, response.headers);
    if (lagMs === 0 || !isListing(url) || !lagging.test(url)) {
      response.pipe(answer);
      return;
    }
    const body = await text(response);
    listings.set(url, { atMs: Date.now(), type: response.headers['content-type'] ?? '', body });
    answer.end(body);
  };
  const server = createServer((asked, answer) => {
    const old = listings.get(asked.url ?? '');
    if (old === undefined || Date.now() - old.atMs > lagMs) {
      pass(asked, answer);
      return;
    }
    asked.resume();
    answer.writeHead(200, { 'content-type': old.type }).end(old.body);
  });
  const [own = 0] = await freePorts(1);
  server.listen(own, '127.0.0.1');
  return {
    url: `http://127.0.0.1:${own}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

function isListing(url: string): boolean {
  return url.includes('list-type=') || url.includes('prefix=');
}
