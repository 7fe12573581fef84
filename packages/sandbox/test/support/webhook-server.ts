import { createServer, type Server } from 'node:https';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { selfSigned, type TestCertificate } from './certificate.ts';
import { textOf, type Loose } from '../conformance/client.ts';

/** What was sent to a path of the server. */
export interface SeenReview {
  readonly path: string;
  /** The whole target, with the query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The review, looked into unchecked. */
  readonly review: Loose;
}

/** Answers a review: with a value as JSON, with a text as it is, or with undefined not at all. */
export type Respond = (review: Loose, response: ServerResponse) => unknown;

/** An HTTPS server that answers reviews as it is told, and remembers them. */
export class WebhookServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #certificate: TestCertificate;
  readonly #responses = new Map<string, Respond>();
  readonly seen: SeenReview[] = [];

  private constructor(certificate: TestCertificate) {
    this.#certificate = certificate;
    this.#server = createServer({ ...certificate }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const target = request.url ?? '/';
        const path = target.split('?', 1).join('');
        const review = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Loose;
        if (!isOfControllers(review)) this.seen.push({ path, target, headers: request.headers, review });
        const answer = (this.#responses.get(path) ?? allowing())(review, response);
        if (answer === undefined) return;
        response.setHeader('content-type', 'application/json');
        response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
      });
    });
  }

  static async start(certificate = selfSigned('webhook')): Promise<WebhookServer> {
    const server = new WebhookServer(certificate);
    const { promise, resolve } = Promise.withResolvers<void>();
    server.#server.listen(0, '127.0.0.1', resolve);
    await promise;
    return server;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `https://127.0.0.1:${port}`;
  }

  get caBundle(): string {
    return Buffer.from(this.#certificate.cert).toString('base64');
  }

  /** The `clientConfig` for a path. */
  client(path: string): { readonly url: string; readonly caBundle: string } {
    return { url: this.url + path, caBundle: this.caBundle };
  }

  /** Says how reviews at a path are answered; without, they are allowed. */
  on(path: string, respond: Respond): void {
    this.#responses.set(path, respond);
  }

  /** The reviews that came to a path. */
  at(path: string): readonly SeenReview[] {
    return this.seen.filter((one) => one.path === path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }
}

/** Whether a review is about the ConfigMap that a controller of a real cluster makes in each namespace. */
function isOfControllers(review: Loose): boolean {
  return textOf(review['request']?.['object']?.['metadata']?.['name']) === 'kube-root-ca.crt';
}

/** Answers with this response, beside the uid; it allows unless told otherwise. */
export function allowing(response: Readonly<Record<string, unknown>> = {}): Respond {
  return (review) => ({
    apiVersion: review['apiVersion'],
    kind: review['kind'],
    response: { uid: review['request']?.['uid'], allowed: true, ...response },
  });
}

/** Answers with a JSON Patch. */
export function patching(operations: unknown): Respond {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return allowing({ patchType: 'JSONPatch', patch });
}

/** Answers conversions: what `convert` makes of each object, in the desired version. */
export function converting(
  convert: (object: Loose) => unknown,
  response: Readonly<Record<string, unknown>> = {},
): Respond {
  return (review) => {
    const objects = review['request']?.['objects'] as unknown as readonly Loose[];
    const apiVersion = review['request']?.['desiredAPIVersion'];
    return {
      apiVersion: review['apiVersion'],
      kind: review['kind'],
      response: {
        uid: review['request']?.['uid'],
        result: { status: 'Success' },
        convertedObjects: objects.map((object) => convert({ ...object, apiVersion } as unknown as Loose)),
        ...response,
      },
    };
  };
}
