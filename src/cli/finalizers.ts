import { addedFinalizers, removeFinalizer, type FinalizedObject } from '../effects/finalizer.ts';
import { UsageError } from '../errors.ts';
import type { KubeClient } from '../kube/client.ts';
import { resourcePath, type Kinds, type ResourceKind } from '../kube/kind.ts';
import { asJsonObject, text } from '../kube/object.ts';
import { printable } from '../lib/printable.ts';

/** What the `finalizers` commands work on: the API server itself, so that they work where a hook is gone. */
export interface FinalizersIo {
  readonly client: Pick<KubeClient, 'request'>;
  readonly kinds: Pick<Kinds, 'resolve'>;
  readonly stdout: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Which finalizers a command is about. */
export interface FinalizersQuery {
  /** As for kubectl: `websites.example.com`, `WebSite`. */
  readonly kind: string;
  /** The name of the binding; absent: those of all bindings. */
  readonly binding?: string | undefined;
  /** `namespace/name`, or the name of a cluster-scoped object; absent: all objects. */
  readonly object?: string | undefined;
}

/** One finalizer of ours on an object. */
interface Held {
  readonly object: FinalizedObject;
  readonly finalizer: string;
  readonly isDeleting: boolean;
}

const PAGE = 500;

/** `hooklet finalizers list`: prints a line for each of our finalizers; resolves to the exit code. */
export async function listFinalizers(query: FinalizersQuery, io: FinalizersIo): Promise<number> {
  const held = await find(query, io);
  for (const one of held) io.stdout(`${describe(one)}${one.isDeleting ? ' (being deleted)' : ''}\n`);
  if (held.length === 0) io.stdout('no finalizers of hooklet\n');
  return 0;
}

/**
 * `hooklet finalizers release`: shows what it would remove, and with `isSure` removes it. Children of these objects in
 * other namespaces stay.
 */
export async function releaseFinalizers(query: FinalizersQuery, isSure: boolean, io: FinalizersIo): Promise<number> {
  const held = await find(query, io);
  for (const one of held) {
    if (isSure) await removeFinalizer(one.object, one.finalizer, io);
    io.stdout(`${isSure ? 'removed' : 'would remove'} ${describe(one)}\n`);
  }
  if (held.length === 0) io.stdout('no finalizers of hooklet\n');
  else if (!isSure) io.stdout('nothing is changed; add --yes to remove them\n');
  return 0;
}

function describe({ object: { kind, namespace, name }, finalizer }: Held): string {
  return printable(`${finalizer} from ${kind} ${namespace === '' ? name : `${namespace}/${name}`}`);
}

async function find({ kind, binding, object }: FinalizersQuery, io: FinalizersIo): Promise<readonly Held[]> {
  const resource = await io.kinds.resolve({ kind }, io.signal);
  const items = object === undefined ? await listAll(resource, io) : [await readOne(resource, object, io)];
  return items.flatMap((item) => heldBy(item, resource)).filter(({ finalizer }) => isOf(finalizer, binding));
}

/** The mark is the name of the binding, and a hash of 8 digits. */
function isOf(finalizer: string, binding: string | undefined): boolean {
  return binding === undefined || finalizer.replace(/-?[0-9a-f]{8}$/, '') === `hooklet.dev/${binding}`;
}

async function listAll(resource: ResourceKind, { client, signal }: FinalizersIo): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  const path = resourcePath(resource, {});
  for (let token: string | undefined; token !== '';) {
    const query = { limit: String(PAGE), ...(token !== undefined && { continue: token }) };
    const list = asJsonObject(await client.request({ method: 'GET', path, query }, signal));
    if (Array.isArray(list['items'])) items.push(...list['items']);
    token = text(asJsonObject(list['metadata'])['continue']);
  }
  return items;
}

async function readOne(resource: ResourceKind, object: string, { client, signal }: FinalizersIo): Promise<unknown> {
  const [first = '', second] = object.split('/');
  if (resource.isNamespaced !== (second !== undefined)) {
    const expected = resource.isNamespaced ? 'namespace/name' : 'a name';
    throw new UsageError(`--object: got ${object}, expected ${expected} for ${resource.kind}`);
  }
  const location = second === undefined ? { name: first } : { namespace: first, name: second };
  return client.request({ method: 'GET', path: resourcePath(resource, location) }, signal);
}

function heldBy(item: unknown, { apiVersion, kind }: ResourceKind): readonly Held[] {
  const { namespace, name, uid, deletionTimestamp } = asJsonObject(asJsonObject(item)['metadata']);
  const object = { apiVersion, kind, namespace: text(namespace), name: text(name), uid: text(uid) };
  const isDeleting = deletionTimestamp !== undefined;
  return addedFinalizers(item).map((finalizer) => ({ object, finalizer, isDeleting }));
}
