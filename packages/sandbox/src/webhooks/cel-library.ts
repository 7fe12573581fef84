import type * as Cel from '@marcbachmann/cel-js';

let library: typeof Cel | undefined;

/** Loads the library, which only sandboxes with webhooks need; must be called before `celLibrary`. */
export async function loadCelLibrary(): Promise<void> {
  library ??= await import('@marcbachmann/cel-js');
}

/** The library for CEL. */
export function celLibrary(): typeof Cel {
  if (library === undefined) throw new Error('the library for CEL is not loaded yet');
  return library;
}
