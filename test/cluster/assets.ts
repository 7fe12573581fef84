import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Where the parts of a control plane are. */
export interface ControlPlaneAssets {
  readonly etcd: string;
  readonly kubeApiserver: string;
  readonly kubeControllerManager: string;
}

/**
 * Finds the servers of a control plane: in `KUBEBUILDER_ASSETS`, or else in a cache folder, where missing ones are
 * built with Go from the pinned modules next to this file.
 */
export async function controlPlaneAssets(env: NodeJS.ProcessEnv): Promise<ControlPlaneAssets> {
  const given = env['KUBEBUILDER_ASSETS'];
  const etcd = given === undefined ? undefined : existing(given, 'etcd');
  const kubeApiserver = given === undefined ? undefined : existing(given, 'kube-apiserver');
  // The assets of envtest do not include a controller manager.
  const kubeControllerManager =
    given === undefined ? undefined : existing(given, 'kube-controller-manager', 'optional');
  const cache = await cacheFolder(env);
  return {
    etcd: etcd ?? (await built(cache, PARTS.etcd, env)),
    kubeApiserver: kubeApiserver ?? (await built(cache, PARTS.kubeApiserver, env)),
    kubeControllerManager: kubeControllerManager ?? (await built(cache, PARTS.kubeControllerManager, env)),
  };
}

/**
 * Finds the API server of Kubernetes 1.36, for what 1.35 has not, in a cache folder of its own. Undefined where
 * `KUBEBUILDER_ASSETS` is set: it has one version, and who sets it may have no Go.
 */
export async function laterApiserverAsset(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (env['KUBEBUILDER_ASSETS'] !== undefined) return undefined;
  return built(await cacheFolder(env, LATER, [LATER]), PARTS.laterApiserver, env);
}

/** Finds kubectl of the same version as the servers, in the same places. */
export async function kubectlAsset(env: NodeJS.ProcessEnv): Promise<string> {
  const given = env['KUBEBUILDER_ASSETS'];
  const kubectl = given === undefined ? undefined : existing(given, 'kubectl');
  // Apart from the servers, which need not be built again when it is.
  return kubectl ?? (await built(await cacheFolder(env, 'kubectl', ['kubernetes']), PARTS.kubectl, env));
}

/** Finds helm, in a cache folder of its own; it shares most packages with kubectl. */
export async function helmAsset(env: NodeJS.ProcessEnv): Promise<string> {
  return built(await cacheFolder(env, 'helm', ['helm']), PARTS.helm, env);
}

/** Tools for etcd, of the same version as the server. */
export interface EtcdTools {
  readonly etcdctl: string;
  readonly etcdutl: string;
}

/** Finds etcdctl and etcdutl, in the same places. */
export async function etcdToolAssets(env: NodeJS.ProcessEnv): Promise<EtcdTools> {
  const given = env['KUBEBUILDER_ASSETS'];
  // The assets of envtest include neither.
  const etcdctl = given === undefined ? undefined : existing(given, 'etcdctl', 'optional');
  const etcdutl = given === undefined ? undefined : existing(given, 'etcdutl', 'optional');
  const cache = await cacheFolder(env);
  return {
    etcdctl: etcdctl ?? (await built(cache, PARTS.etcdctl, env)),
    etcdutl: etcdutl ?? (await built(cache, PARTS.etcdutl, env)),
  };
}

/** Finds versitygw, a server that speaks S3, in a cache folder of its own: building it takes minutes. */
export async function s3ServerAsset(env: NodeJS.ProcessEnv): Promise<string> {
  return built(await cacheFolder(env, 's3', ['s3']), PARTS.versitygw, env);
}

/** A Prometheus and its promtool. */
export interface PrometheusAssets {
  readonly prometheus: string;
  readonly promtool: string;
}

/** Finds Prometheus with its discovery of Kubernetes, which Debian's has not, in a cache folder of its own. */
export async function prometheusAssets(env: NodeJS.ProcessEnv): Promise<PrometheusAssets> {
  const cache = await cacheFolder(env, 'prometheus', ['prometheus']);
  return {
    prometheus: await built(cache, PARTS.prometheus, env),
    promtool: await built(cache, PARTS.promtool, env),
  };
}

interface Part {
  readonly name: string;
  /** The folder next to this file that contains the go.mod. */
  readonly module: string;
  readonly package: string;
  /** Which parts of it are built. */
  readonly tags?: string;
}

/** Of all discoveries that Prometheus has; the others are most of what there is to build. */
const KUBERNETES_ALONE = 'remove_all_sd,enable_kubernetes_sd';

/** The folder of the modules of Kubernetes 1.36. */
const LATER = 'kubernetes-1.36';

const PARTS = {
  etcd: { name: 'etcd', module: 'etcd', package: 'go.etcd.io/etcd/server/v3' },
  kubeApiserver: { name: 'kube-apiserver', module: 'kubernetes', package: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  laterApiserver: { name: 'kube-apiserver', module: LATER, package: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  kubeControllerManager: {
    name: 'kube-controller-manager',
    module: 'kubernetes',
    package: 'k8s.io/kubernetes/cmd/kube-controller-manager',
  },
  etcdctl: { name: 'etcdctl', module: 'etcd', package: 'go.etcd.io/etcd/etcdctl/v3' },
  etcdutl: { name: 'etcdutl', module: 'etcd', package: 'go.etcd.io/etcd/etcdutl/v3' },
  versitygw: { name: 'versitygw', module: 's3', package: 'github.com/versity/versitygw/cmd/versitygw' },
  prometheus: {
    name: 'prometheus',
    module: 'prometheus',
    package: 'github.com/prometheus/prometheus/cmd/prometheus',
    tags: KUBERNETES_ALONE,
  },
  promtool: {
    name: 'promtool',
    module: 'prometheus',
    package: 'github.com/prometheus/prometheus/cmd/promtool',
    tags: KUBERNETES_ALONE,
  },
  kubectl: { name: 'kubectl', module: 'kubernetes', package: 'k8s.io/kubernetes/cmd/kubectl' },
  helm: { name: 'helm', module: 'helm', package: 'helm.sh/helm/v3/cmd/helm' },
} as const satisfies Readonly<Record<string, Part>>;

function existing(folder: string, name: string, need: 'optional' | 'required' = 'required'): string | undefined {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  if (need === 'optional') return undefined;
  throw new Error(
    `KUBEBUILDER_ASSETS is ${folder}, but there is no ${name} in it: add it, or unset KUBEBUILDER_ASSETS`,
  );
}

/** Each set of pinned modules has a folder of its own, so that outdated programs are never run. */
async function cacheFolder(
  env: NodeJS.ProcessEnv,
  name = 'control-plane',
  modules: readonly string[] = ['etcd', 'kubernetes'],
): Promise<string> {
  const hash = createHash('sha256');
  for (const module of modules) hash.update(await readFile(join(moduleFolder(module), 'go.sum')));
  const root = env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(root, 'hooklet', `${name}-${hash.digest('hex').slice(0, 16)}`);
  await mkdir(folder, { recursive: true });
  return folder;
}

function moduleFolder(module: string): string {
  return fileURLToPath(new URL(module, import.meta.url));
}

async function built(cache: string, part: Part, env: NodeJS.ProcessEnv): Promise<string> {
  const path = join(cache, part.name);
  if (existsSync(path)) return path;
  await withLock(join(cache, 'lock'), async () => {
    if (existsSync(path)) return;
    await build(part, `${path}.new`, env);
    await rename(`${path}.new`, path);
  });
  return path;
}

async function build(
  { name, module, package: main, tags = '' }: Part,
  output: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  process.stderr.write(`building ${name} with Go; the first time takes minutes\n`);
  const flags = ['-s', '-w', ...(await versionFlags(module))];
  // Debug information takes a sixth of the build time, and `-s -w` drops it at the end anyway.
  const how = ['-tags', tags, '-trimpath', '-gcflags=all=-dwarf=false', '-ldflags', flags.join(' ')];
  const args = ['build', ...how, '-o', output, main];
  try {
    // As Kubernetes and Prometheus build their own: programs that are linked with C are larger, by 17 MB of kubectl.
    const settings = {
      ...env,
      ...(['kubernetes', LATER, 'helm', 'prometheus'].includes(module) && { CGO_ENABLED: '0' }),
    };
    await promisify(execFile)('go', args, { cwd: moduleFolder(module), env: settings, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const remedy = isMissing
      ? 'there is no go on the PATH: install Go 1.26 or newer, or set KUBEBUILDER_ASSETS to a folder with the binaries'
      : 'go build failed';
    throw new Error(`cannot build ${name} for the cluster tests: ${remedy}`, { cause: error });
  }
}

/** The version that the built programs report: the pinned one of Kubernetes. */
async function versionFlags(module: string): Promise<readonly string[]> {
  const goMod = await readFile(join(moduleFolder(module), 'go.mod'), 'utf8');
  // Helm has no Kubernetes in it, only its libraries, whose minor version is the same.
  const library = module === 'helm' ? 'client-go' : 'kubernetes';
  const [, version = '', minor = ''] = new RegExp(`k8s\\.io/${library} (v[01]\\.(\\d+)\\.\\S+)`).exec(goMod) ?? [];
  if (version === '') return [];
  if (module === 'helm') {
    const parts = ['pkg/chartutil', 'pkg/lint/rules'].map((part) => `helm.sh/helm/v3/${part}`);
    return parts.flatMap((part) => ['-X', `${part}.k8sVersionMajor=1`, '-X', `${part}.k8sVersionMinor=${minor}`]);
  }
  const named = [`gitVersion=${version}`, 'gitMajor=1', `gitMinor=${minor}`];
  return named.flatMap((value) => ['-X', `k8s.io/component-base/version.${value}`]);
}

const LOCK_POLL_MS = 500;

/** Only one process builds at a time; the lock of a builder that died is taken over. */
async function withLock(path: string, work: () => Promise<void>): Promise<void> {
  while (!(await tryLock(path))) {
    if (await isAbandoned(path)) await rm(path, { force: true });
    else await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
  }
  try {
    await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function tryLock(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const pid = Number(text);
  if (text === '' || !Number.isInteger(pid)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
