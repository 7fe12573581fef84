import { KubeError } from '../../errors.ts';
import type { KubeClient } from '../../kube/client.ts';
import { resourcePath } from '../../kube/kind.ts';
import { asJsonObject, text } from '../../kube/object.ts';
import {
  converterBundle,
  CONVERTER_OWNER,
  CRD_KIND,
  readCrdConversion,
  registeredConfig,
} from '../../sources/conversion/crd-conversion.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** A CustomResourceDefinition whose converter hooklet has registered. */
export interface Converter {
  readonly crdName: string;
  /** The namespace of that hooklet, and the name of its webhook configurations. */
  readonly owner: string;
  readonly clientConfig: JsonObject;
  /** As PEM. */
  readonly bundle: string;
  /** The versions that are served. */
  readonly served: readonly string[];
  /** The versions in which objects may be stored. */
  readonly stored: readonly string[];
  readonly resourceVersion: string;
}

interface Access {
  readonly client: Pick<KubeClient, 'request'>;
  readonly signal: AbortSignal;
}

/** Schemas may be large. */
const PAGE = '50';

/** The converters, or why they are not known: without the right to list the definitions. */
export interface FoundConverters {
  readonly converters: readonly Converter[];
  readonly refusal?: string;
}

/** Finds the converters of all installations of hooklet. */
export async function findConverters({ client, signal }: Access): Promise<FoundConverters> {
  const found: Converter[] = [];
  let next = '';
  try {
    do {
      const query = { limit: PAGE, ...(next !== '' && { continue: next }) };
      const path = resourcePath(CRD_KIND, {});
      const list = asJsonObject(await client.request({ method: 'GET', path, query }, signal));
      const items = Array.isArray(list['items']) ? list['items'].map(asJsonObject) : [];
      found.push(...items.flatMap((item) => converterOf(item) ?? []));
      next = text(asJsonObject(list['metadata'])['continue']);
    } while (next !== '');
  } catch (error) {
    if (error instanceof KubeError && error.status === 403) return { converters: [], refusal: error.message };
    throw error;
  }
  return { converters: found };
}

/** What the objects of a definition would suffer without a converter; undefined: nothing. */
export function lossWithout({ served, stored }: Converter): string | undefined {
  if (new Set([...served, ...stored]).size <= 1) return undefined;
  return `objects may be stored in ${stored.join(', ')} and are served in ${served.join(', ')}: without a converter only their apiVersion changes, and what a version calls otherwise is missing there and lost when it is written`;
}

/** Takes the converter away, as it was found. */
export async function removeConverter({ crdName: name, resourceVersion }: Converter, io: Access): Promise<void> {
  const path = resourcePath(CRD_KIND, { name });
  const body = JSON.stringify({
    metadata: { resourceVersion, annotations: { [CONVERTER_OWNER]: null } },
    spec: { conversion: { strategy: 'None', webhook: null } },
  });
  await io.client.request({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body }, io.signal);
}

function converterOf(crd: JsonObject): Converter | undefined {
  const conversion = readCrdConversion(crd);
  const { owner, resourceVersion } = conversion;
  if (owner === undefined) return undefined;
  const { versions } = asJsonObject(crd['spec']);
  const { storedVersions } = asJsonObject(crd['status']);
  const all = Array.isArray(versions) ? versions.map(asJsonObject) : [];
  return {
    crdName: text(asJsonObject(crd['metadata'])['name']),
    owner,
    clientConfig: registeredConfig(conversion),
    bundle: converterBundle(conversion),
    served: all.filter(({ served }) => served === true).map(({ name }) => text(name)),
    stored: Array.isArray(storedVersions) ? storedVersions.map(text) : [],
    resourceVersion,
  };
}
