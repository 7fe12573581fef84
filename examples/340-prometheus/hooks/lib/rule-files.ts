import { createHash } from 'node:crypto';
import type { RuleSpec, Source } from './resources.ts';

/** A file beside prometheus.yml. */
export interface ConfigFile {
  readonly name: string;
  readonly content: string;
}

/** No ConfigMap may hold more than 1 MiB in all; what is left is for its other fields. */
export const MAX_FILE_BYTES = 900_000;

/**
 * The rule files of a PrometheusRule: one, or several where its groups do not fit into one object. The name of a file
 * has a hash of its content, so that a Prometheus that has loaded the name has loaded the content.
 */
export function ruleFiles(source: Source<RuleSpec>): {
  readonly files: readonly ConfigFile[];
  readonly problem?: string;
} {
  const { namespace, name } = source.metadata;
  const parts: string[][] = [[]];
  let bytes = 0;
  for (const group of source.spec.groups ?? []) {
    const text = JSON.stringify(group);
    const size = Buffer.byteLength(text) + 1;
    if (size > MAX_FILE_BYTES) return { files: [], problem: tooLarge(String(group['name']), size) };
    if (bytes + size > MAX_FILE_BYTES) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(text);
    bytes += size;
  }
  const files = parts
    .filter((groups) => groups.length > 0)
    .map((groups, index) => {
      const content = `{"groups":[${groups.join(',\n')}]}\n`;
      // Of the name too: two names may be the same as far as they fit.
      const hash = createHash('sha256').update(`${name}\n${content}`).digest('hex').slice(0, 16);
      return { name: `rules.${namespace}.${name.slice(0, 120)}.${index}.${hash}.yaml`, content };
    });
  return { files };
}

function tooLarge(group: string, bytes: number): string {
  return `the group ${JSON.stringify(group.slice(0, 100))} has ${bytes} bytes, at most ${MAX_FILE_BYTES} fit into one object: split it into several groups`;
}
