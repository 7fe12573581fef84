import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { V1Pod } from '@kubernetes/client-node';
import { installs, type Installed } from '../../operators/kit/installs.ts';
import { operatorParts } from '../../operators/kit/operator-image.ts';
import { operatorPod, type OperatorPod } from '../../operators/kit/operator-pod.ts';
import { examplesDir } from '../../support/example-rig.ts';
import type { SharedControlPlane } from '../shared-control-plane.ts';
import { eventually } from '../solutions/eventually.ts';

const programs = fileURLToPath(new URL('programs', import.meta.url));
export const OPERATOR = { namespace: 'example-static-website', name: 'static-website' };
const NAMESPACE = OPERATOR.namespace;

/** A WebSite, as it is read. */
export interface WebSite {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly content?: string;
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly status: string; readonly reason: string; readonly message: string }[];
  };
}

/** The operator of the example, a server of archives, and servers of sites, all in Pods. */
export interface WebsiteRig extends Installed, OperatorPod {
  /** Puts an archive with this first page on the server; the spec of a site that has it. */
  pack(name: string, page: string): Promise<{ readonly url: string; readonly sha256: string }>;
  /** Puts what is no such archive. */
  put(name: string, body: string | Buffer): Promise<string>;
  /** What a GET of the site is answered with. */
  page(site: string): Promise<string>;
  site(name: string): Promise<WebSite>;
  pods(label: string): Promise<readonly V1Pod[]>;
}

/** Installs all; the operator is ready on return. */
export async function startWebsites(plane: SharedControlPlane): Promise<WebsiteRig> {
  await using ends = new AsyncDisposableStack();
  const parts = ends.use(await operatorParts());
  const server = (file: string) => ({
    programs: [parts.programs],
    entrypoint: ['node', `/opt/web/${file}`],
    files: { '/opt/web': programs },
  });
  const installed = ends.use(
    await installs({
      plane,
      manifests: join(examplesDir, '330-static-website', 'manifests'),
      ...OPERATOR,
      images: {
        'registry.example.com/static-website:1': parts.imageOf(join(examplesDir, '330-static-website', 'hooks')),
        'nginxinc/nginx-unprivileged:1.29': server('web-server.mjs'),
        files: server('file-server.mjs'),
      },
      leftovers: ['validatingwebhookconfiguration/example-static-website-hooks'],
    }),
  );
  await installed.apply(...FILES);
  // The addresses of Pods are those of this machine here.
  await installed.kubectl('set', 'env', 'deployment/static-website', `ARCHIVE_HOSTS=files[.]${NAMESPACE}[.]svc`);
  await installed.kubectl(
    'wait',
    '--for',
    'condition=Available',
    '--timeout=180s',
    'deployment/static-website',
    'deployment/files',
  );
  const own = { ...ownParts(installed), ...operatorPod(installed, OPERATOR) };
  const rest = ends.move();
  return { ...installed, ...own, [Symbol.asyncDispose]: async () => rest.disposeAsync() };
}

type Own = Pick<WebsiteRig, 'pack' | 'put' | 'page' | 'site' | 'pods'>;

function ownParts({ get, kubelet }: Installed): Own {
  const pods: Own['pods'] = async (label) => (await get<{ items: readonly V1Pod[] }>('pods', '-l', label)).items;
  const addressOf = async (label: string): Promise<string> => {
    const ready = (await pods(label)).filter(isReady);
    const address = ready.map(({ metadata: { name = '' } = {} }) =>
      kubelet.addressOf({ namespace: NAMESPACE, name }),
    )[0];
    if (address === undefined) throw new Error(`no Pod of ${label} is ready`);
    return `http://${address}:8080`;
  };
  const put: Own['put'] = async (name, body) => {
    await eventually(async () => fetch(`${await addressOf('app=files')}/${name}`, { method: 'PUT', body }));
    return `http://files.${NAMESPACE}.svc:8080/${name}`;
  };
  return {
    pods,
    put,
    async pack(name, page) {
      const archive = await archiveOf(page);
      return { url: await put(name, archive), sha256: createHash('sha256').update(archive).digest('hex') };
    },
    page: async (site) => {
      const response = await fetch(await addressOf(`app.kubernetes.io/instance=${site}`));
      return response.text();
    },
    site: async (name) => get<WebSite>('website', name),
  };
}

function isReady({ metadata, status }: V1Pod): boolean {
  const ready = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
  return ready && metadata?.deletionTimestamp === undefined;
}

/** A tar.gz with this index.html. */
export async function archiveOf(page: string): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-site-'));
  try {
    writeFileSync(join(folder, 'index.html'), page);
    await promisify(execFile)('tar', ['-czf', 'site.tar.gz', './index.html'], { cwd: folder });
    return await readFile(join(folder, 'site.tar.gz'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const labels = { app: 'files' };
const FILES = [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'files' },
    spec: { selector: labels, ports: [{ port: 8080 }] },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'files' },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          securityContext: { runAsNonRoot: true, runAsUser: 101, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: 'files',
              image: 'files',
              readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
              securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
            },
          ],
        },
      },
    },
  },
];
