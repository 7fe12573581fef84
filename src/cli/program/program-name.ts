import { basename } from 'node:path';

const PEER = 'shell-operator';

/**
 * Whether the program was called as shell-operator is: by a path that ends in `shell-operator`, such as the link in the
 * image, or with `HOOKLET_COMPAT=shell-operator`. The variable decides where it is set: any other value says no.
 */
export function calledAsShellOperator(argv0: string, env: Readonly<Record<string, string | undefined>> = {}): boolean {
  const { HOOKLET_COMPAT: given = '' } = env;
  return (given === '' ? basename(argv0) : given) === PEER;
}

/** The name that this program was called by, `hooklet` or `shell-operator`. */
export function programName(): 'hooklet' | 'shell-operator' {
  const [, path = ''] = process.argv;
  return calledAsShellOperator(path, process.env) ? PEER : 'hooklet';
}
