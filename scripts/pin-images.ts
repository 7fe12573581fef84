// node scripts/pin-images.ts > images.lock && docker build $(cat images.lock) -t hooklet .
// Prints build arguments that pin the base images to the digests that the registries have at this moment.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const IMAGE_ARGUMENT = /^ARG ([A-Z_]+)=(\S+)$/gm;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const RESOLVE_LIMIT_MS = 60_000;

/** One line `--build-arg NAME=IMAGE@DIGEST` for each base image of the Dockerfile; `resolve` returns the digest. */
export function pinnedArguments(dockerfile: string, resolve: (image: string) => string): string {
  const [head = ''] = dockerfile.split(/^FROM /m, 1);
  const lines = [...head.matchAll(IMAGE_ARGUMENT)].map(([, name = '', image = '']) => {
    if (image.includes('@')) return `--build-arg ${name}=${image}\n`;
    const digest = resolve(image).trim();
    if (!DIGEST.test(digest)) {
      throw new Error(
        `${name}: the registry gave ${JSON.stringify(digest.slice(0, 100))} for ${image}, expected sha256:…`,
      );
    }
    return `--build-arg ${name}=${image}@${digest}\n`;
  });
  return lines.join('');
}

function resolveWithDocker(image: string): string {
  const args = ['buildx', 'imagetools', 'inspect', image, '--format', '{{.Manifest.Digest}}'];
  return execFileSync('docker', args, { encoding: 'utf8', timeout: RESOLVE_LIMIT_MS });
}

if (import.meta.main) {
  const dockerfile = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8');
  process.stdout.write(pinnedArguments(dockerfile, resolveWithDocker));
}
