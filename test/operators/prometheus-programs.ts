import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A folder with a promtool, to be put before the PATH; undefined where there is none on this machine. */
export interface PromtoolFolder extends Disposable {
  readonly folder: string;
  /** How often promtool was called. */
  readonly calls: () => number;
}

/**
 * Debian builds Prometheus without its discovery of Kubernetes: where it is that one, the configuration is checked with
 * a discovery by HTTP in its place. All else is judged as it is.
 */
export function promtoolFolder(): PromtoolFolder | undefined {
  const promtool = programOf('promtool');
  if (promtool === undefined) return undefined;
  const root = mkdtempSync(join(tmpdir(), 'promtool-test-'));
  const folder = join(root, 'bin');
  mkdirSync(folder);
  const translated = knowsKubernetes(promtool, root) ? '' : TRANSLATE;
  const script = `#!/bin/sh\necho >> ${root}/calls\nfor file; do :; done\n${translated}exec ${promtool} "$@"\n`;
  writeFileSync(join(folder, 'promtool'), script);
  chmodSync(join(folder, 'promtool'), 0o755);
  writeFileSync(join(root, 'calls'), '');
  return {
    folder,
    calls: () => Number(execFileSync('wc', ['-l', join(root, 'calls')], { encoding: 'utf8' }).split(' ')[0]),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The path of a program on the PATH. */
export function programOf(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

/** With it, the discovery of Kubernetes in a configuration is one by HTTP, of which there is no server. */
export const TO_HTTP =
  '(.. | objects | select(has("kubernetes_sd_configs"))) |= (.http_sd_configs = [{url: "http://127.0.0.1:1/"}] | del(.kubernetes_sd_configs))';
const TRANSLATE = `jq '${TO_HTTP}' "$file" > "$file.new" && mv "$file.new" "$file" || exit 2\n`;

function knowsKubernetes(promtool: string, folder: string): boolean {
  const file = join(folder, 'probe.yml');
  writeFileSync(file, 'scrape_configs: [{job_name: a, kubernetes_sd_configs: [{role: pod}]}]');
  try {
    execFileSync(promtool, ['check', 'config', file], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
