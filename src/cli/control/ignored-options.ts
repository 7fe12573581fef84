/** A flag of shell-operator that is accepted and ignored. */
export interface IgnoredOption {
  readonly flag: string;
  readonly env: string;
}

/** The flags of shell-operator that are accepted and ignored, so that its images and charts start. */
export const ignoredOptions: Readonly<Record<string, IgnoredOption>> = {
  kubeServer: { flag: '--kube-server <url>', env: 'KUBE_SERVER' },
  logNoTime: { flag: '--log-no-time', env: 'LOG_NO_TIME' },
  debugKubernetesApi: { flag: '--debug-kubernetes-api', env: 'DEBUG_KUBERNETES_API' },
  ...family('object-patcher-kube-client', ['qps', 'burst', 'timeout']),
};

/** The names of the ignored flags and environment variables that were given. */
export function withoutEffect(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const isGiven = (variable: string): boolean => (env[variable] ?? '') !== '';
  return Object.entries(ignoredOptions).flatMap(([key, { flag, env: variable }]) => {
    if (flags[key] !== undefined) return [flag.replace(/ .*/, '')];
    return isGiven(variable) ? [variable] : [];
  });
}

function family(prefix: string, names: readonly string[]): Readonly<Record<string, IgnoredOption>> {
  return Object.fromEntries(
    names.map((name) => {
      const words = `${prefix}-${name}`;
      const key = words.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
      return [key, { flag: `--${words} <value>`, env: words.replaceAll('-', '_').toUpperCase() }];
    }),
  );
}
