import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@hooklet/sandbox';
import { connect, textOf } from '@hooklet/sandbox/conformance';
import { objectAt, objectsAt, textAt } from '@hooklet/sandbox/testing';
import { freePorts } from '../cluster/free-ports.ts';
import type { SharedControlPlane } from '../cluster/shared-control-plane.ts';
import { startContainer, type Container } from './container.ts';
import type { Image } from './image-store.ts';

export interface PodOptions {
  readonly plane: SharedControlPlane;
  readonly image: Image;
  /** The Deployment of the Pod, which must exist in the API server with its account and rights. */
  readonly deployment: JsonObject;
  /** Overrides the environment of the Deployment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folders of this machine by their paths in the container, besides the Pod's. */
  readonly mounts?: Readonly<Record<string, string>>;
}

/** A Pod, run as a kubelet would run it, but without a node. */
export interface Pod extends AsyncDisposable {
  readonly container: Container;
  /** Folders of this machine behind the volumes, by their paths in the container. */
  readonly volumes: Readonly<Record<string, string>>;
  /** Requests a path at the port of the probes. */
  ask(path: string): Promise<{ readonly status: number; readonly text: string }>;
}

/** Runs the Pod of a Deployment: its account, environment and volumes, its user, and its read-only root. */
export async function startPod({ plane, image, deployment, env = {}, mounts = {} }: PodOptions): Promise<Pod> {
  const spec = objectAt(deployment, 'spec', 'template', 'spec');
  const [container = {}] = objectsAt(spec, 'containers');
  const namespace = textAt(deployment, 'metadata', 'namespace');
  const folder = await mkdtemp(join(tmpdir(), 'hooklet-pod-'));
  const user = userOf(spec);
  const volumes: Record<string, string> = {};
  for (const mount of objectsAt(container, 'volumeMounts')) {
    volumes[textAt(mount, 'mountPath')] = await makeVolume(join(folder, textAt(mount, 'name')), user);
  }
  const account = await makeVolume(join(folder, 'account'), user);
  await writeFile(join(account, 'token'), await accountToken(plane, namespace, textAt(spec, 'serviceAccountName')));
  await writeFile(join(account, 'ca.crt'), plane.ca);
  await writeFile(join(account, 'namespace'), namespace);
  const [port = 0] = await freePorts(1);
  const server = new URL(plane.url);
  const running = startContainer(image, {
    user,
    env: {
      ...environmentOf(container, namespace),
      KUBERNETES_SERVICE_HOST: server.hostname,
      KUBERNETES_SERVICE_PORT: server.port,
      // All containers here share the ports of this machine.
      HOOKLET_LISTEN_PORT: String(port),
      ...env,
    },
    mounts: { ...volumes, [ACCOUNT_PATH]: account, ...mounts },
  });
  return {
    container: running,
    volumes,
    async ask(path) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: response.status, text: await response.text() };
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const ACCOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';

function userOf(spec: JsonObject): string {
  const { runAsUser, runAsGroup = runAsUser } = objectAt(spec, 'securityContext');
  return `${JSON.stringify(runAsUser)}:${JSON.stringify(runAsGroup)}`;
}

/** A folder that belongs to the user, as with `fsGroup`. */
async function makeVolume(path: string, user: string): Promise<string> {
  await mkdir(path, { mode: 0o770 });
  const [uid = '', gid = ''] = user.split(':');
  await chown(path, Number(uid), Number(gid));
  return path;
}

async function accountToken(plane: SharedControlPlane, namespace: string, name: string): Promise<string> {
  const admin = connect({ url: plane.url, ca: plane.ca, token: plane.tokenOf('admin') });
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { status, body, text } = await admin.post(path, request);
  if (status !== 201) throw new Error(`no token for ${namespace}/${name}: ${status} ${text}`);
  return textOf(body['status']?.['token']);
}

function environmentOf(container: JsonObject, namespace: string): Readonly<Record<string, string>> {
  const variables = objectsAt(container, 'env').map((variable) => {
    const isNamespace = textAt(variable, 'valueFrom', 'fieldRef', 'fieldPath') === 'metadata.namespace';
    return [textAt(variable, 'name'), isNamespace ? namespace : textAt(variable, 'value')];
  });
  return Object.fromEntries(variables);
}
