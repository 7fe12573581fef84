import { fileURLToPath } from 'node:url';

/** The folder of the solutions. */
export const solutionsDir = fileURLToPath(new URL('../../solutions', import.meta.url));
