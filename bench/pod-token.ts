import { asJson, type Api } from './soak/api.ts';

/** A token with the audience of hooklet that is bound to a Pod, as the kubelet gives it to the Pod. */
export async function podToken(
  api: Api,
  { account, pod, uid }: { readonly account: string; readonly pod: string; readonly uid: string },
): Promise<string> {
  const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: pod, uid };
  const { status, body } = await api.call('POST', `/api/v1/namespaces/default/serviceaccounts/${account}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: ['hooklet'], expirationSeconds: 3600, boundObjectRef },
  });
  const { token } = asJson(body['status']);
  if (typeof token !== 'string') throw new Error(`no token for the Pod ${pod}: ${status} ${JSON.stringify(body)}`);
  return token;
}
