import type { V1Container, V1EnvVar, V1EnvVarSource, V1Pod } from '@kubernetes/client-node';
import { fieldOf, resourceOf } from './downward.ts';

/** The sources of a container's environment besides its spec. */
export interface EnvironmentSources {
  readonly pod: V1Pod;
  readonly podIp: string;
  readonly hostIp: string;
  /** Returns undefined if there is none of that name. */
  readonly configMap: (name: string) => Promise<Readonly<Record<string, string>> | undefined>;
  readonly secret: (name: string) => Promise<Readonly<Record<string, string>> | undefined>;
}

/** The environment of a container: `base`, `envFrom` and `env`, of which the later ones override the earlier. */
export async function environmentOf(
  container: V1Container,
  base: Readonly<Record<string, string>>,
  sources: EnvironmentSources,
): Promise<Readonly<Record<string, string>>> {
  const env: Record<string, string> = { ...base };
  for (const { configMapRef, secretRef, prefix = '' } of container.envFrom ?? []) {
    const data =
      configMapRef === undefined
        ? await required('secret', secretRef, sources.secret)
        : await required('configmap', configMapRef, sources.configMap);
    for (const [key, value] of Object.entries(data)) env[`${prefix}${key}`] = value;
  }
  for (const variable of container.env ?? []) {
    const value = await valueOf(variable, container, { ...sources, env });
    if (value !== undefined) env[variable.name] = value;
  }
  return env;
}

/** Replaces `$(NAME)` by the variable if it exists; `$$` stands for `$`. */
export function expand(text: string, env: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$(?:\$|\(([^()]*)\))/g, (whole, name: string | undefined) =>
    name === undefined ? '$' : (env[name] ?? whole),
  );
}

interface Reference {
  readonly name?: string;
  readonly optional?: boolean;
}

type Lookup = (name: string) => Promise<Readonly<Record<string, string>> | undefined>;

async function required(
  kind: string,
  reference: Reference | undefined,
  lookup: Lookup,
): Promise<Readonly<Record<string, string>>> {
  const name = reference?.name ?? '';
  const data = await lookup(name);
  if (data === undefined && reference?.optional !== true) throw new Error(`${kind} "${name}" not found`);
  return data ?? {};
}

type Known = EnvironmentSources & { readonly env: Readonly<Record<string, string>> };

async function valueOf(variable: V1EnvVar, container: V1Container, known: Known): Promise<string | undefined> {
  const { value = '', valueFrom } = variable;
  return valueFrom === undefined ? expand(value, known.env) : referredTo(valueFrom, container, known);
}

async function referredTo(from: V1EnvVarSource, container: V1Container, known: Known): Promise<string | undefined> {
  const { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef } = from;
  if (configMapKeyRef !== undefined) return keyOf('ConfigMap', configMapKeyRef, known);
  if (secretKeyRef !== undefined) return keyOf('Secret', secretKeyRef, known);
  if (fieldRef !== undefined) return fieldOf(known, fieldRef.fieldPath);
  if (resourceFieldRef !== undefined) return resourceOf(container, resourceFieldRef);
  throw new Error(`an environment variable comes from something unknown here: ${JSON.stringify(from)}`);
}

async function keyOf(
  kind: 'ConfigMap' | 'Secret',
  reference: Reference & { readonly key: string },
  { pod, configMap, secret }: EnvironmentSources,
): Promise<string | undefined> {
  const data = await required(kind.toLowerCase(), reference, kind === 'Secret' ? secret : configMap);
  const value = data[reference.key];
  if (value === undefined && reference.optional !== true) {
    const owner = `${pod.metadata?.namespace ?? ''}/${reference.name ?? ''}`;
    throw new Error(`couldn't find key ${reference.key} in ${kind} ${owner}`);
  }
  return value;
}
