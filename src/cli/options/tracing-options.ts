import type { TracingSettings } from '../../operator/tracing/open-tracing.ts';
import { otlpSettings } from '../../operator/tracing/otlp-settings.ts';
import { programFile } from '../program/program-file.ts';
import { calledAsShellOperator } from '../program/program-name.ts';
import { version } from '../program/version.ts';

/** Where traces of runs go, and what they say of this program; empty without an endpoint in the environment. */
export function tracingOptions(env: Readonly<Record<string, string | undefined>>): {
  readonly tracing?: TracingSettings;
} {
  const settings = otlpSettings(env);
  if (settings === undefined) return {};
  const { POD_NAME: pod = '', POD_NAMESPACE: namespace = '' } = env;
  const resource = {
    'service.name': calledAsShellOperator(programFile, env) ? 'shell-operator' : 'hooklet',
    'service.version': version,
    ...(pod !== '' && { 'k8s.pod.name': pod }),
    ...(namespace !== '' && { 'k8s.namespace.name': namespace }),
  };
  return { tracing: { ...settings, resource } };
}
