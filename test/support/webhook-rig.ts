import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { Cluster } from '../../src/kube/credentials/cluster.ts';
import type { OperatorOptions } from '../../src/operator/run-operator.ts';
import type { WebhookSettings } from '../../src/operator/webhooks/settings.ts';
import { freePorts } from '../cluster/free-ports.ts';
import { createCertificate } from './certificate.ts';
import { temporaryFolder } from './hook-rig.ts';
import { startOperator, type OperatorRig } from './operator-rig.ts';

/** The response of a webhook, as the API server reads it. */
export interface WebhookAnswer {
  readonly status: number | undefined;
  readonly body: string;
  /** Of an AdmissionReview: `response`. */
  readonly response: Readonly<Record<string, unknown>>;
}

export interface WebhookRig extends OperatorRig {
  readonly port: number;
  readonly certificate: { readonly cert: string; readonly key: string };
  /** Posts an AdmissionReview of a Pod, with these fields of the request. */
  readonly review: (path: string, fields?: object, query?: string) => Promise<WebhookAnswer>;
}

export interface WebhookRigOptions {
  readonly connect: () => Promise<Cluster>;
  readonly hooks: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly operator?: Partial<OperatorOptions>;
  readonly settings?: Partial<WebhookSettings>;
  /** The name of the webhook configurations, without `-hooks`; default `test`. */
  readonly configurationName?: string;
  /** Of webhooks whose config has none; default false. */
  readonly matchOwnNamespace?: boolean;
}

/** Runs an operator that serves webhooks at a URL on 127.0.0.1, with a certificate from files. */
export async function startWebhooks(options: WebhookRigOptions): Promise<WebhookRig> {
  const { connect, hooks, env, operator, settings, configurationName = 'test', matchOwnNamespace = false } = options;
  const [port = 0] = await freePorts(1);
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const certificate = createCertificate();
  const file = (name: string, pem: string): string => {
    const path = join(folder.path, name);
    writeFileSync(path, pem);
    return path;
  };
  const server = {
    serviceName: 'hooklet-webhooks',
    serverCert: file('tls.crt', certificate.cert),
    serverKey: file('tls.key', certificate.key),
    ca: file('ca.crt', certificate.cert),
    clientCa: [],
    listenPort: port,
    listenAddress: '127.0.0.1',
  };
  const webhooks: WebhookSettings = {
    namespace: '',
    url: `https://127.0.0.1:${port}`,
    certificates: { type: 'files' },
    authorityMs: 3_600_000,
    leafMs: 3_600_000,
    admission: { ...server, configurationName, failurePolicy: 'Fail', matchOwnNamespace },
    conversion: { ...server, listenPort: 0 },
    ...settings,
  };
  const rig = startOperator({
    connect,
    hooks,
    ...(env && { env }),
    operator: { webhooks, webhookDrainMs: 0, ...operator },
  });
  const review = async (path: string, fields: object = {}, query = ''): Promise<WebhookAnswer> =>
    postReview({ port, ca: certificate.cert, path: `${path}${query}` }, { request: { ...REQUEST, ...fields } });
  return { ...rig, port, certificate, review };
}

const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'default' }, spec: { containers: [] } };

const REQUEST = {
  uid: 'uid-1',
  kind: { group: '', version: 'v1', kind: 'Pod' },
  resource: { group: '', version: 'v1', resource: 'pods' },
  name: 'a',
  namespace: 'default',
  operation: 'CREATE',
  userInfo: { username: 'admin' },
  object: POD,
  oldObject: null,
  dryRun: false,
  options: null,
};

interface Target {
  readonly port: number;
  readonly ca: string;
  readonly path: string;
}

/** Posts a review to a webhook. */
export async function postReview({ port, ca, path }: Target, review: object): Promise<WebhookAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<WebhookAnswer>();
  const headers = { 'content-type': 'application/json' };
  const out = request({ host: '127.0.0.1', port, path, ca, method: 'POST', headers, agent: false }, (response) => {
    text(response).then((body) => {
      const isJson = response.headers['content-type'] === 'application/json';
      resolve({ status: response.statusCode, body, response: isJson ? JSON.parse(body).response : {} });
    }, reject);
  });
  out.on('error', reject);
  out.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', ...review }));
  return promise;
}
