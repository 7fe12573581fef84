const MIB = 1024 * 1024;

/** The limits of what a hook may write in one run, by kind of output; docs/hooks.md has the table. */
export const OUTPUT_LIMITS = {
  patch: 32 * MIB,
  metrics: 4 * MIB,
  admission: 4 * MIB,
  conversion: 64 * MIB,
  result: 8 * MIB,
  config: MIB,
} as const;

/** The kinds of output of a hook. */
export type OutputName = keyof typeof OUTPUT_LIMITS;

const TITLES: Readonly<Record<OutputName, string>> = {
  patch: 'KUBERNETES_PATCH_PATH',
  metrics: 'METRICS_PATH',
  admission: 'ADMISSION_RESPONSE_PATH',
  conversion: 'CONVERSION_RESPONSE_PATH',
  result: 'RESULT_PATH',
  config: 'the config',
};

/** How much a run may print or log; the rest is dropped. */
export const PRINTED_LIMIT_BYTES = MIB;

/** Returns why an output is too large; undefined when it is within its limit. */
export function explainSize(name: OutputName, bytes: number): string | undefined {
  const limit = OUTPUT_LIMITS[name];
  if (bytes <= limit) return undefined;
  const advice = name === 'config' ? 'bind to less in one hook' : 'write less in one run';
  return `${TITLES[name]} has ${bytes} bytes, at most ${limit} (${limit / MIB} MiB) are read; ${advice}`;
}
