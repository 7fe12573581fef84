import { writeFileSync } from 'node:fs';
import { connect, type ClientHttp2Session } from 'node:http2';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createCertificate, type TestCertificate } from '../test/support/certificate.ts';
import { nowMs, sleep } from './figures.ts';

/** The path of the webhook `judge.bench.example.com`. */
export const JUDGE_PATH = '/hooks/judge-bench-example-com';

/** A certificate for 127.0.0.1, in memory and as files. */
export interface ServerFiles extends TestCertificate {
  readonly certPath: string;
  readonly keyPath: string;
}

/** Writes a certificate for 127.0.0.1 into a folder. */
export function writeServerFiles(folder: string): ServerFiles {
  const certificate = createCertificate();
  const [certPath, keyPath] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  writeFileSync(certPath, certificate.cert);
  writeFileSync(keyPath, certificate.key);
  return { ...certificate, certPath, keyPath };
}

/** An AdmissionReview of a new ConfigMap, as the API server sends it. */
export function reviewText(index: number): string {
  const [kind, resource] = [
    { group: '', version: 'v1', kind: 'ConfigMap' },
    { group: '', version: 'v1', resource: 'configmaps' },
  ];
  const [name, namespace] = [`bench-${index}`, 'default'];
  const metadata = { name, namespace, uid: crypto.randomUUID(), creationTimestamp: '2026-01-01T00:00:00Z' };
  const request = {
    uid: crypto.randomUUID(),
    kind,
    resource,
    requestKind: kind,
    requestResource: resource,
    name,
    namespace,
    operation: 'CREATE',
    userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
    object: { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { text: 'x'.repeat(500) } },
    oldObject: null,
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
  };
  return JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request });
}

/** Whether the text of an answer allows its request. */
export function isAllowed(answer: string): boolean {
  const { response }: { readonly response?: { readonly allowed?: boolean } } = JSON.parse(answer);
  return response?.allowed === true;
}

/** One HTTP/2 connection to a webhook server, as the API server keeps it. */
export interface Reviewer extends Disposable {
  /** Sends so many reviews, `atOnce` of them at the same time; returns the milliseconds of each. */
  ask(count: number, atOnce: number): Promise<readonly number[]>;
}

const START_MS = 60_000;

/** Connects to a webhook server once it allows a review. */
export async function connectReviewer(port: number, ca: string): Promise<Reviewer> {
  const deadline = nowMs() + START_MS;
  for (;;) {
    const session = connect(`https://127.0.0.1:${port}`, { ca }).on('error', () => {});
    try {
      await askOne(session, 0);
      return {
        ask: async (count, atOnce) => askMany(session, count, atOnce),
        [Symbol.dispose]: () => session.destroy(),
      };
    } catch (error) {
      session.destroy();
      if (nowMs() > deadline) throw error;
      await sleep(50);
    }
  }
}

async function askMany(session: ClientHttp2Session, count: number, atOnce: number): Promise<readonly number[]> {
  const times: number[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) times.push(await askOne(session, next++));
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return times;
}

async function askOne(session: ClientHttp2Session, index: number): Promise<number> {
  const body = reviewText(index);
  const beganMs = nowMs();
  const headers = { ':method': 'POST', ':path': `${JUDGE_PATH}?timeout=10s`, 'content-type': 'application/json' };
  const stream = session.request(headers);
  stream.end(body);
  const answer = await text(stream);
  const tookMs = nowMs() - beganMs;
  if (!isAllowed(answer)) throw new Error(`not allowed: ${answer}`);
  return tookMs;
}
