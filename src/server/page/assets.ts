import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { assetFiles, type AssetName } from './asset-files.ts';

/** A file for browsers, at a path that has a hash of its content, so that it may be kept for ever. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly plain: Uint8Array;
  readonly compressed: Uint8Array;
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The assets of the page by name. */
export const ASSETS: Readonly<Record<AssetName, Asset>> = {
  'page.css': assetOf('page.css'),
  'page.js': assetOf('page.js'),
  'icon.svg': assetOf('icon.svg'),
  'idiomorph.js': assetOf('idiomorph.js'),
};

const BY_PATH = new Map(Object.values(ASSETS).map((asset) => [asset.path, asset]));

export function assetAt(path: string): Asset | undefined {
  return BY_PATH.get(path);
}

function assetOf(name: AssetName): Asset {
  const plain = Buffer.from(assetFiles[name]);
  const [stem = '', extension = ''] = name.split('.');
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 10);
  return {
    path: `/assets/${stem}-${hash}.${extension}`,
    type: TYPES[extension] ?? 'application/octet-stream',
    plain,
    compressed: gzipSync(plain, { level: 9 }),
  };
}
