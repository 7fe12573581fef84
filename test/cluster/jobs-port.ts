import { request } from 'node:https';
import type { V1Job } from '@kubernetes/client-node';
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

/** Asks the operator as the Pod of a Job does; resolves to the status and the text of the answer. */
export async function askPort(
  { namespace, kubelet, pods }: Pick<JobsRig, 'namespace' | 'kubelet' | 'pods'>,
  job: V1Job,
  { method, what, body = '', ...of }: JobQuestion,
): Promise<{ readonly status: number; readonly text: string }> {
  const [operator] = await pods('operator');
  const { promise, resolve, reject } = Promise.withResolvers<{ readonly status: number; readonly text: string }>();
  const out = request({
    host: kubelet.addressOf({ namespace, name: operator?.metadata?.name ?? '' }),
    port: 9682,
    servername: `hooklet-jobs.${namespace}.svc`,
    ca: authorityOf(job),
    agent: false,
    method,
    path: `/v1/jobs/${job.metadata?.name}/${what}`,
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
