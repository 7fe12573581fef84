import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Image } from '@hooklet/test-kubelet';
import { operatorParts } from '../../../operators/kit/operator-image.ts';
import { prometheusAssets } from '../../assets.ts';

const hooks = fileURLToPath(new URL('../../../../examples/340-prometheus/hooks', import.meta.url));
const programs = fileURLToPath(new URL('../programs', import.meta.url));
/** The one that the hook gives to its Pods. */
const PROMETHEUS = 'prom/prometheus:v3.13.5';
const OPERATOR = 'registry.example.com/prometheus:1';
/** What is scraped, and gets the alerts. */
export const TARGET = 'registry.example.com/target:1';

/** The images of all Pods. */
export interface PrometheusImages extends Disposable {
  readonly images: Readonly<Record<string, Image>>;
}

/** A real Prometheus, the operator with a promtool of the same build, as its Dockerfile makes it, and a target. */
export async function prometheusImages(): Promise<PrometheusImages> {
  const { prometheus, promtool } = await prometheusAssets(process.env);
  const parts = await operatorParts();
  const outer = mkdtempSync(join(tmpdir(), 'prometheus-image-'));
  const bin = join(outer, 'bin');
  mkdirSync(bin, { mode: 0o755 });
  for (const path of [prometheus, promtool]) {
    copyFileSync(path, join(bin, basename(path)));
    chmodSync(join(bin, basename(path)), 0o755);
  }
  const operator = parts.imageOf(hooks);
  return {
    images: {
      [PROMETHEUS]: { programs: [bin], entrypoint: ['prometheus'] },
      [OPERATOR]: { ...operator, programs: [parts.programs, bin] },
      [TARGET]: {
        programs: [parts.programs],
        entrypoint: ['node', '/target/target.mjs'],
        files: { '/target': programs },
      },
    },
    [Symbol.dispose]: () => {
      parts[Symbol.dispose]();
      rmSync(outer, { recursive: true, force: true });
    },
  };
}
