/** How members are asked over HTTP and gRPC, beside etcdctl. */
export interface MemberAccess {
  readonly timeoutMs: number;
  /** Where `/metrics` and `/debug/vars` are, if not at the client URL. */
  readonly httpPort?: number;
  /** With the certificates and the user, in the variables of etcdctl; of this process by default. */
  readonly env?: NodeJS.ProcessEnv;
}

/** The URL at which a member serves `/metrics` and `/debug/vars`; not every client URL does. */
export function httpUrl({ httpPort }: MemberAccess, endpoint: string, path: string): URL {
  const url = new URL(path, endpoint);
  if (httpPort !== undefined) url.port = String(httpPort);
  return url;
}
