/** Another entry point beside this module: TypeScript when run from the sources, JavaScript in the bundle. */
export function siblingModule(name: string): URL {
  return new URL(`./${name}.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
}
