import { fileURLToPath } from 'node:url';

/** The file that `hooklet` is: the bundle it runs from, or `src/main.ts`. */
export const programFile: string = process.argv[1] ?? fileURLToPath(new URL('../main.ts', import.meta.url));
