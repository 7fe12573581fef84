import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The file of another entry point: TypeScript beside the module `from` in the sources; in the bundle JavaScript beside
 * it, or above it where the bundler put this code into a shared chunk.
 */
export function siblingFile(name: string, from: string): string {
  const file = from.endsWith('.ts') ? `${name}.ts` : `${name}.js`;
  const beside = fileURLToPath(new URL(`./${file}`, from));
  return existsSync(beside) ? beside : fileURLToPath(new URL(`../${file}`, from));
}
