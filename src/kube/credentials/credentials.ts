/*
 * The sources of credentials that are read from a kubeconfig or from files: a bearer token, a certificate authority, a
 * client certificate with its key. `Cluster.authenticate` reads every source before each request, so a read must be
 * cheap: a file is read again at most once a second, and unchanged content stays the same buffer, which keeps the
 * connections that were opened with it. When a rotated file cannot be read for a moment, or certificate and key do not
 * match yet, the previous content stays in use.
 */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { messageOf } from '../../lib/message-of.ts';

import { CredentialsError } from '../../errors.ts';
import { within } from '../../lib/deadline.ts';
import type { Headers } from '../http/http.ts';
import { readSmallFile } from './read-file.ts';

/** What one source contributes to the credentials; a buffer is the same object as long as its content is the same. */
export interface CredentialPart {
  readonly headers?: Headers;
  readonly ca?: Uint8Array | string;
  readonly cert?: Uint8Array | string;
  readonly key?: Uint8Array | string;
}

/** A source of credentials, such as a file, an exec plugin or an issuer. */
export interface CredentialSource {
  read(): Promise<CredentialPart>;
  /** Called when the server refused these credentials: the next `read` must renew them. */
  invalidate(): void;
}

/** A file is read again when its content is older than this; a rotated certificate is needed at once. */
const FILE_MAX_AGE_MS = 1000;
/** Limit for one read, because a volume may hang; the previous content is used then. */
const FILE_LIMIT_MS = 5000;

/** Five times the size of a bundle of all public authorities. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Credentials that never change. */
export function fixedCredentials(part: CredentialPart): CredentialSource {
  return { read: () => Promise.resolve(part), invalidate: () => {} };
}

/** A bearer token in a file that another process rotates. */
export function tokenFileCredentials(path: string): CredentialSource {
  const file = new CredentialFile('token', path);
  return {
    async read() {
      const token = (await file.read()).toString('utf8').trim();
      if (token === '') throw new CredentialsError(`token file ${path} is empty`);
      return { headers: bearerHeaders(token, `token file ${path}`) };
    },
    invalidate: () => {
      file.invalidate();
    },
  };
}

/** Returns the header for a token; `what` names its origin in errors. An error never repeats the token. */
export function bearerHeaders(token: string, what: string): Headers {
  if (/^[\x21-\x7e]+$/.test(token)) return { authorization: `Bearer ${token}` };
  throw new CredentialsError(`${what} contains a character that a token cannot have, such as a space or a line break`);
}

/** The authority that signed the server's certificate, read from a file. */
export function caFileCredentials(path: string): CredentialSource {
  const file = new CredentialFile('certificate authority', path);
  return {
    async read() {
      const ca = await file.read();
      if (!ca.includes(PEM_BEGIN)) throw new CredentialsError(`${file.name} is not a PEM certificate`);
      return { ca };
    },
    invalidate: () => {
      file.invalidate();
    },
  };
}

/** Every PEM document contains it. Checked here, because the error of TLS ("no start line") explains nothing. */
const PEM_BEGIN = '-----BEGIN ';

/** Decodes a PEM document that a kubeconfig holds in base64; `what` names the field in errors. */
export function decodePem(base64: string, what: string): Buffer {
  const bytes = Buffer.from(base64, 'base64');
  const isBase64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(base64);
  if (isBase64 && bytes.includes(PEM_BEGIN)) return bytes;
  throw new CredentialsError(`${what} is not a PEM document in base64`);
}

/** A PEM document, inline or in a file. */
export type Pem = { readonly data: Buffer } | { readonly path: string };

/** A client certificate and its key, inline or in files that may be renewed. */
export function certificateCredentials(cert: Pem, key: Pem): CredentialSource {
  const certFile = new CredentialFile('client certificate', cert);
  const keyFile = new CredentialFile('client key', key);
  let pair: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  return {
    async read() {
      const [newCert, newKey] = await Promise.all([certFile.read(), keyFile.read()]);
      if (pair?.cert === newCert && pair.key === newKey) return pair;
      const certificate = parseCertificate(newCert, certFile.name);
      if (!belongsTo(certificate, newKey)) {
        // A renewal in progress: only one of the two files has been replaced.
        if (pair !== undefined) return pair;
        throw new CredentialsError(`${certFile.name} and ${keyFile.name} do not belong together`);
      }
      checkExpiry(certificate, certFile.name);
      pair = { cert: newCert, key: newKey };
      return pair;
    },
    invalidate() {
      certFile.invalidate();
      keyFile.invalidate();
    },
  };
}

function parseCertificate(pem: Buffer, name: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw new CredentialsError(`${name} is not a PEM certificate`, { cause: error });
  }
}

function belongsTo(certificate: X509Certificate, key: Buffer): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function checkExpiry({ subject, validToDate }: X509Certificate, name: string): void {
  if (validToDate.getTime() >= Date.now()) return;
  const who = subject.replaceAll('\n', ', ');
  throw new CredentialsError(`${name} (${who}) expired on ${validToDate.toISOString()}; renew it`);
}

/** A file that is read again when its content is old; unchanged content stays the same buffer. */
class CredentialFile {
  readonly name: string;
  readonly #path: string | undefined;
  #content: Buffer | undefined;
  #readAt = 0;

  constructor(what: string, source: Pem | string) {
    const pem = typeof source === 'string' ? { path: source } : source;
    this.#path = 'path' in pem ? pem.path : undefined;
    this.#content = 'data' in pem ? pem.data : undefined;
    this.name = this.#path === undefined ? what : `${what} ${this.#path}`;
  }

  async read(): Promise<Buffer> {
    const known = this.#content;
    if (known !== undefined && (this.#path === undefined || Date.now() - this.#readAt < FILE_MAX_AGE_MS)) return known;
    this.#readAt = Date.now();
    const content = await this.#load();
    if (this.#content === undefined || !this.#content.equals(content)) this.#content = content;
    return this.#content;
  }

  invalidate(): void {
    this.#readAt = 0;
  }

  async #load(): Promise<Buffer> {
    try {
      const late = (): never => {
        throw new Error(`nothing could be read within ${FILE_LIMIT_MS / 1000} s`);
      };
      return await within(readSmallFile(this.#path ?? '', MAX_FILE_BYTES), { limitMs: FILE_LIMIT_MS, late });
    } catch (error) {
      // During a rotation the file may be absent for a moment.
      if (this.#content !== undefined) return this.#content;
      const reason = messageOf(error);
      throw new CredentialsError(`cannot read ${this.name}: ${reason}`, { cause: error });
    }
  }
}
