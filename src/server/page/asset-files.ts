import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The files that a browser loads. The bundle has them as text in place of this file: see `embeddedAssets` in
 * `scripts/build.ts`.
 */
export const assetFiles: Readonly<Record<AssetName, string>> = {
  'page.css': read(new URL('assets/page.css', import.meta.url)),
  'page.js': read(new URL('assets/page.js', import.meta.url)),
  'icon.svg': read(new URL('assets/icon.svg', import.meta.url)),
  'idiomorph.js': read(new URL(import.meta.resolve('idiomorph/dist/idiomorph.min.js'))),
};

export type AssetName = 'page.css' | 'page.js' | 'icon.svg' | 'idiomorph.js';

function read(url: URL): string {
  return readFileSync(fileURLToPath(url), 'utf8');
}
