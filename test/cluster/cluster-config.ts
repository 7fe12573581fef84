/** A kubeconfig, as JSON, with one cluster and one user. */
export function clusterConfig(options: {
  readonly url: string;
  readonly ca: string;
  readonly user: string;
  readonly token: string;
}): string {
  const { url, ca, user, token } = options;
  const certificate = Buffer.from(ca).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority-data': certificate } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user } }],
    'current-context': 'test',
  });
}
