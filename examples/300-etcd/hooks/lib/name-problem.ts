const MOST_LETTERS = 48;
const NAME = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** Why a name is none for an object whose Services, Pods and Jobs are called after it; undefined where it is one. */
export function nameProblem(field: string, name: string): string | undefined {
  if (NAME.test(name) && name.length <= MOST_LETTERS) return undefined;
  return `${field} is "${name}", after which Services and Pods are called: ask for at most ${MOST_LETTERS} small letters, digits and -, with a letter first`;
}
