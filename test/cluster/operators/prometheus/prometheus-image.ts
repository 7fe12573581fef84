import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Image } from '@hooklet/test-kubelet';

/** A real Prometheus as an image, and a folder with a promtool of the same build. */
export interface PrometheusImage extends Disposable {
  readonly image: Image;
  readonly programs: string;
  /** Whether it has the discovery of Kubernetes; else a stand-in finds the targets. */
  readonly isComplete: boolean;
}

const DISCOVERY = fileURLToPath(new URL('kubernetes-discovery.ts', import.meta.url));

/** From the folder that `PROMETHEUS_ASSETS` names, with prometheus and promtool, else those on the PATH. */
export function prometheusImage(): PrometheusImage {
  const root = mkdtempSync(join(tmpdir(), 'prometheus-image-'));
  chmodSync(root, 0o755);
  const folder = join(root, 'bin');
  mkdirSync(folder);
  const [prometheus, promtool] = [programOf('prometheus'), programOf('promtool')];
  linkOrCopy(prometheus, join(folder, 'real-prometheus'));
  linkOrCopy(promtool, join(folder, 'real-promtool'));
  linkOrCopy(process.execPath, join(folder, 'node'));
  const isComplete = knowsKubernetes(promtool, root);
  write(join(folder, 'prometheus'), isComplete ? 'exec real-prometheus "$@"\n' : TRANSLATED_PROMETHEUS);
  write(join(folder, 'promtool'), isComplete ? 'exec real-promtool "$@"\n' : TRANSLATED_PROMTOOL);
  const files = { '/discovery': dirname(DISCOVERY) };
  return {
    image: { programs: [folder], entrypoint: ['prometheus'], files },
    programs: folder,
    isComplete,
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The discovery of Kubernetes as a discovery by HTTP. */
const TRANSLATION = `(.. | objects | select(has("kubernetes_sd_configs"))) |= (
  .http_sd_configs = [.kubernetes_sd_configs[] |
    {url: "http://127.0.0.1:9199/\\(.role)?namespaces=\\(.namespaces.names | join(","))", refresh_interval: "1s"}]
  | del(.kubernetes_sd_configs))`;

const TRANSLATED_PROMTOOL = `
for file; do :; done
jq '${TRANSLATION}' "$file" > "$file.new" && mv "$file.new" "$file" || exit 2
exec real-promtool "$@"
`;

const TRANSLATED_PROMETHEUS = `
rest=()
for arg; do case $arg in --config.file=*) from=\${arg#*=} ;; *) rest+=("$arg") ;; esac; done
translate() {
  now=$(<"$from")
  [ "$now" != "\${last:-}" ] || return 0
  jq '${TRANSLATION}' <<< "$now" > /prometheus/translated.new && mv /prometheus/translated.new /prometheus/translated.yml
  last=$now
}
translate
node /discovery/kubernetes-discovery.ts & discovery=$!
real-prometheus --config.file=/prometheus/translated.yml "\${rest[@]}" & pid=$!
trap 'kill -TERM $pid; wait $pid; kill $discovery; exit 0' TERM
while kill -0 $pid 2> /dev/null; do
  translate 2> /dev/null
  sleep 0.3
done
wait $pid
`;

function write(path: string, text: string): void {
  writeFileSync(path, `#!/bin/bash\n${text}`);
  chmodSync(path, 0o755);
}

function programOf(name: string): string {
  const folders = [process.env['PROMETHEUS_ASSETS'] ?? '', ...(process.env['PATH'] ?? '').split(delimiter)];
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`there is no ${name} on the PATH: install Debian's package prometheus`);
  return found;
}

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

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
    chmodSync(to, 0o755);
  }
}
