/*
 * A replica of the operator with self-made webhook certificates, as a process of its own whose clock is wrong. The test
 * that starts it gives a `ReplicaOrder` as its argument.
 */

/** What a replica is to do. */
export interface ReplicaOrder {
  readonly name: string;
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly hooksDir: string;
  readonly tmpDir: string;
  /** Where webhooks are served, and where metrics and health. */
  readonly webhookPort: number;
  readonly healthPort: number;
  /** Where the API server calls webhooks. */
  readonly url: string;
  readonly configurationName: string;
  /** How far its clock is ahead. */
  readonly aheadMs: number;
  readonly lifeMs: number;
  readonly settleMs: number;
}

const order: ReplicaOrder = JSON.parse(process.argv[2] ?? '');

// Before anything is loaded that keeps a reference to the clock.
const RealDate = Date;
globalThis.Date = new Proxy(RealDate, {
  get: (target, key) => (key === 'now' ? (): number => target.now() + order.aheadMs : Reflect.get(target, key, target)),
  construct: (target, given) => Reflect.construct(target, given.length === 0 ? [target.now() + order.aheadMs] : given),
});

const [{ runOperator }, { loadCluster }, { createLogger }] = await Promise.all([
  import('../../../src/operator/run-operator.ts'),
  import('../../../src/kube/credentials/load-cluster.ts'),
  import('../../../src/log.ts'),
]);
const server = {
  serverCert: '/nonexistent/tls.crt',
  serverKey: '/nonexistent/tls.key',
  ca: '/nonexistent/ca.crt',
  clientCa: [],
  listenAddress: '127.0.0.1',
  listenPort: order.webhookPort,
};
const end = new AbortController();
process.once('SIGTERM', () => end.abort());
await runOperator(
  {
    hooksDir: order.hooksDir,
    tmpDir: order.tmpDir,
    keepTmpFiles: false,
    listenAddress: '127.0.0.1',
    listenPort: order.healthPort,
    metricsPrefix: 'hooklet_',
    cluster: {
      connect: async () => loadCluster({ env: {}, kubeConfigPath: order.kubeconfig }),
      userAgent: `hooklet-test/${order.name}`,
    },
    gracePeriodMs: 5000,
    logProxyHookJson: false,
    env: { ...process.env, POD_NAMESPACE: order.namespace, REPLICA: order.name },
    program: { node: process.execPath, program: new URL('../../../src/main.ts', import.meta.url).pathname },
    log: createLogger({ format: 'json', level: 'info' }),
    webhooks: {
      namespace: order.namespace,
      url: order.url,
      certificates: { type: 'self' },
      authorityMs: order.lifeMs,
      leafMs: order.lifeMs,
      admission: {
        ...server,
        serviceName: 'hooks',
        configurationName: order.configurationName,
        failurePolicy: 'Fail',
        matchOwnNamespace: false,
      },
      conversion: { ...server, serviceName: 'hooks', listenPort: 0 },
    },
    webhookDrainMs: 0,
    webhookSettleMs: order.settleMs,
  },
  end.signal,
);
