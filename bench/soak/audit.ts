import { asJson, versionOf, type Api, type Json, type Version } from './api.ts';
import { KINDS, MIRROR_NAMESPACE, NAMESPACES, pathOf, type SoakKind } from './kinds.ts';
import type { Ledger } from './ledger.ts';

/**
 * The objects that hooks have not seen, and those that they created but do not exist; empty when everything is correct.
 */
export async function findDifferences(api: Api, ledger: Ledger): Promise<readonly string[]> {
  const found: string[] = [];
  for (const kind of KINDS) {
    const objects = await listKind(api, kind);
    found.push(...ledger.differences(kind.hook, objects.map(versionOf)));
    if (kind.kind === 'Widget') found.push(...(await mirrorDifferences(api, objects)));
  }
  return found;
}

async function listKind(api: Api, kind: SoakKind): Promise<readonly Json[]> {
  const lists = await Promise.all(NAMESPACES.map(async (namespace) => list(api, pathOf(kind, namespace))));
  return lists.flat();
}

async function list(api: Api, path: string): Promise<readonly Json[]> {
  const { status, body } = await api.call('GET', path);
  const { items } = body;
  if (status !== 200 || !Array.isArray(items)) throw new Error(`${path} answers ${status}`);
  return items.map(asJson);
}

/** Each Widget must have the ConfigMap that the hook wrote when it last saw the Widget. */
async function mirrorDifferences(api: Api, widgets: readonly Json[]): Promise<readonly string[]> {
  const mirrors = await list(api, `/api/v1/namespaces/${MIRROR_NAMESPACE}/configmaps`);
  const byName = new Map(mirrors.map((mirror) => [asJson(mirror['metadata'])['name'], asJson(mirror['data'])]));
  return widgets.flatMap((widget) => {
    const { namespace, name } = asJson(widget['metadata']);
    const wanted: Version = versionOf(widget);
    const data = byName.get(`${String(namespace)}.${String(name)}`);
    const isThere = data?.['uid'] === wanted.uid && data['resourceVersion'] === wanted.resourceVersion;
    return isThere
      ? []
      : [`the patch for ${String(namespace)}/${String(name)} at ${wanted.resourceVersion} is missing`];
  });
}
