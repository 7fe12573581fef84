import { fileURLToPath } from 'node:url';

/** The main file of this process: the bundle, or `src/main.ts`. */
export const programFile: string = process.argv[1] ?? fileURLToPath(new URL('../../main.ts', import.meta.url));
