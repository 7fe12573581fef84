import { request } from 'node:https';
import { eventually } from './deadline.ts';

/** How a server answered. */
export type HttpsProbe =
  | { readonly type: 'answered'; readonly status: number }
  /** It has the right certificate, and answers only clients that have one too. */
  | { readonly type: 'refused' }
  | { readonly type: 'silent'; readonly message: string };

export interface ProbeOptions {
  /** Certificates as PEM that are trusted; empty: those of the system. */
  readonly ca: string;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** Asks a server for a URL by GET, once and on a connection of its own; rejects only when `signal` aborts. */
export async function probeHttps(url: string, { ca, limitMs, signal }: ProbeOptions): Promise<HttpsProbe> {
  const late = (): HttpsProbe => ({ type: 'silent', message: `no answer within ${limitMs / 1000} s` });
  if (!URL.canParse(url)) return { type: 'silent', message: 'the URL is invalid' };
  return eventually<HttpsProbe>({ limitMs, late, signal }, ({ resolve }) => {
    let isTrusted = false;
    const out = request(url, { ...(ca !== '' && { ca }), agent: false }, (response) => {
      response.resume();
      resolve({ type: 'answered', status: response.statusCode ?? 0 });
    });
    out.on('socket', (socket) => socket.once('secureConnect', () => (isTrusted = true)));
    out.on('error', (error) => resolve(isTrusted || isAlert(error) ? { type: 'refused' } : silent(error)));
    out.end();
    return () => out.destroy();
  });
}

function silent({ message }: Error): HttpsProbe {
  return { type: 'silent', message };
}

/** With TLS 1.2, a server refuses a client before its own certificate is believed. */
function isAlert(error: Error): boolean {
  return (
    'code' in error && /^ERR_SSL_.*ALERT_(BAD_CERTIFICATE|HANDSHAKE_FAILURE|CERTIFICATE_)/.test(String(error.code))
  );
}
