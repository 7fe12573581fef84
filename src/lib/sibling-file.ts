import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Returns the file of another entry point: in the sources TypeScript next to the module `from`; in the bundle
 * JavaScript next to it, or one folder above when the bundler moved this code into a shared chunk.
 */
export function siblingFile(name: string, from: string): string {
  const file = from.endsWith('.ts') ? `${name}.ts` : `${name}.js`;
  const beside = fileURLToPath(new URL(`./${file}`, from));
  return existsSync(beside) ? beside : fileURLToPath(new URL(`../${file}`, from));
}
