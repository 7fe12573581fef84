import { request } from 'node:https';
import type { V1Job, V1Secret } from '@kubernetes/client-node';
import type { JobsRig } from './jobs-rig.ts';

/** Something that is asked about the run of a Job. */
export interface JobQuestion {
  readonly method: 'POST' | 'PUT';
  readonly what: 'claim' | 'result';
  /** Absent: the request has none. */
  readonly token?: string;
  readonly epoch?: number;
  readonly body?: string;
}

/** A token that the API server gives for a Pod. */
export async function tokenFor(
  { kubectl }: Pick<JobsRig, 'kubectl'>,
  { account = 'default', pod, audience = 'hooklet' }: { account?: string; pod: string; audience?: string },
): Promise<string> {
  const bound = ['--bound-object-kind', 'Pod', '--bound-object-name', pod];
  return (await kubectl('create', 'token', account, '--audience', audience, ...bound)).trim();
}

interface PortAnswer {
  readonly status: number;
  readonly text: string;
}

/** Asks the operator as the Pod of a Job does; resolves to the status and the text of the answer. */
export async function askPort(
  rig: Pick<JobsRig, 'namespace' | 'kubelet' | 'pods'>,
  job: V1Job,
  { what, ...question }: JobQuestion,
): Promise<PortAnswer> {
  return ask(rig, { ...question, path: `/v1/jobs/${job.metadata?.name}/${what}`, ca: authorityOf(job) });
}

/** Asks the operator as a worker does. */
export async function askPath(
  rig: Pick<JobsRig, 'namespace' | 'kubelet' | 'pods' | 'get'>,
  question: { readonly method: 'POST'; readonly path: string; readonly token: string; readonly body?: string },
): Promise<PortAnswer> {
  const { data } = await rig.get<V1Secret>('secret', 'hooklet-jobs-certs');
  return ask(rig, { ...question, ca: Buffer.from(data?.['ca.crt'] ?? '', 'base64').toString() });
}

interface PathQuestion extends Omit<JobQuestion, 'what'> {
  readonly path: string;
  readonly ca: string | undefined;
}

async function ask(
  { namespace, kubelet, pods }: Pick<JobsRig, 'namespace' | 'kubelet' | 'pods'>,
  { method, path, ca, body = '', ...of }: PathQuestion,
): Promise<PortAnswer> {
  const [operator] = await pods('operator');
  const { promise, resolve, reject } = Promise.withResolvers<PortAnswer>();
  const out = request({
    host: kubelet.addressOf({ namespace, name: operator?.metadata?.name ?? '' }),
    port: 9682,
    servername: `hooklet-jobs.${namespace}.svc`,
    ca,
    agent: false,
    method,
    path,
    headers: { 'content-length': Buffer.byteLength(body), ...headersOf(of) },
  });
  out.on('error', reject);
  out.on('response', (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
  });
  out.end(body);
  return promise;
}

/** Who signs the certificate of the operator, as the Pods of a Job are told. */
function authorityOf({ spec }: V1Job): string | undefined {
  const [container] = spec?.template.spec?.containers ?? [];
  return container?.env?.find(({ name }) => name === 'HOOKLET_JOB_CA')?.value;
}

function headersOf({ token, epoch }: Pick<JobQuestion, 'token' | 'epoch'>): Readonly<Record<string, string>> {
  return {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(epoch !== undefined && { 'hooklet-epoch': String(epoch) }),
  };
}
