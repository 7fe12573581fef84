import { CONFIG_FOLDER, configurationOf } from './configuration.ts';
import type { LeftOut } from './culprits.ts';
import { hashOf, type Item } from './items.ts';
import { type ConfigFile, MAX_FILE_BYTES } from './rule-files.ts';
import type { Prometheus } from './resources.ts';

/** How many ConfigMaps the Pods look for; what is not there is no error, so more of them restart no Pod. */
export const PARTS = 8;

/** A configuration as it is given to the Pods. */
export interface Configuration {
  /** The files of each ConfigMap. */
  readonly parts: readonly (readonly ConfigFile[])[];
  /** Of all files; Prometheus shows it as soon as it has loaded them. */
  readonly hash: string;
  readonly bytes: number;
  readonly ruleFiles: readonly string[];
  readonly items: readonly Item[];
}

/** Packs the configuration of some items into ConfigMaps; what has no room beside the ones before it is left out. */
export function pack(
  prometheus: Prometheus,
  items: readonly Item[],
): { readonly configuration: Configuration; readonly leftOut: readonly LeftOut[] } {
  const leftOut: LeftOut[] = [];
  const monitors: Item[] = [];
  let size = Buffer.byteLength(textOf(prometheus, [], '0'.repeat(16)));
  for (const item of items.filter(({ jobs }) => jobs.length > 0)) {
    const bytes = item.jobs.reduce((sum: number, job) => sum + Buffer.byteLength(JSON.stringify(job)) + LINE_BYTES, 0);
    if (size + bytes > MAX_FILE_BYTES) leftOut.push({ item, reason: 'TooLarge', message: FULL_CONFIG });
    else {
      monitors.push(item);
      size += bytes;
    }
  }
  const bins: Bin[] = [{ files: [], bytes: size }];
  const rules: Item[] = [];
  for (const item of items.filter(({ files }) => files.length > 0)) {
    if (place(bins, item)) rules.push(item);
    else leftOut.push({ item, reason: 'TooLarge', message: FULL_RULES });
  }
  const names = rules.flatMap(({ files }) => files.map(({ name }) => name));
  const hash = hashOf([textOf(prometheus, monitors, ''), ...names].join('\n'));
  const main = { name: 'prometheus.yml', content: textOf(prometheus, monitors, hash) };
  const parts = bins.map(({ files }, index) => (index === 0 ? [main, ...files] : files));
  const bytes = parts.flat().reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  const idle = items.filter(({ jobs, files }) => jobs.length === 0 && files.length === 0);
  return { configuration: { parts, hash, bytes, ruleFiles: names, items: [...monitors, ...rules, ...idle] }, leftOut };
}

interface Bin {
  readonly files: ConfigFile[];
  bytes: number;
}

function textOf(prometheus: Prometheus, items: readonly Item[], mark: string): string {
  return configurationOf(prometheus, items, { folder: CONFIG_FOLDER, mark });
}

/** Puts all files of an item into the first ConfigMaps with room, or none of them. */
function place(bins: Bin[], { files }: Item): boolean {
  const placed: (readonly [Bin, ConfigFile])[] = [];
  for (const file of files) {
    const bytes = Buffer.byteLength(file.content) + file.name.length;
    let bin = bins.find((one) => one.bytes + bytes <= MAX_FILE_BYTES + KEY_BYTES);
    if (bin === undefined && bins.length < PARTS) bins.push((bin = { files: [], bytes: 0 }));
    if (bin === undefined) {
      for (const [from, taken] of placed) {
        from.files.pop();
        from.bytes -= Buffer.byteLength(taken.content) + taken.name.length;
      }
      return false;
    }
    bin.files.push(file);
    bin.bytes += bytes;
    placed.push([bin, file]);
  }
  return true;
}

/** What is between two jobs. */
const LINE_BYTES = 4;
/** For names, which count too; a file of the greatest size must fit into an empty part. */
const KEY_BYTES = 1000;
const FULL_CONFIG = `prometheus.yml would have more than ${MAX_FILE_BYTES} bytes, which no ConfigMap holds: select fewer monitors, or spread them over two Prometheuses`;
const FULL_RULES = `the rules would have more than ${PARTS} ConfigMaps of ${MAX_FILE_BYTES} bytes: select fewer, or spread them over two Prometheuses`;
