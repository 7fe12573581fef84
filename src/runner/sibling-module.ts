import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The file of another entry point: TypeScript beside this module in the sources; in the bundle JavaScript beside it, or
 * above it where the bundler put this code into a shared chunk.
 */
export function siblingModule(name: string, from = import.meta.url): string {
  const file = from.endsWith('.ts') ? `${name}.ts` : `${name}.js`;
  const beside = fileURLToPath(new URL(`./${file}`, from));
  return existsSync(beside) ? beside : fileURLToPath(new URL(`../${file}`, from));
}
