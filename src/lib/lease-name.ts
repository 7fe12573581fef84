const PART = '[a-z0-9]([a-z0-9-]*[a-z0-9])?';
const SUBDOMAIN = new RegExp(`^${PART}(\\.${PART})*$`);
const LABEL = new RegExp(`^${PART}$`);
const MAX_NAME = 253;
const MAX_NAMESPACE = 63;

/** What the name of a Lease must be, in words. */
export const LEASE_NAME_TEXT = `the name of a Lease: at most ${MAX_NAME} small letters, digits, "-" and ".", such as nightly-backup`;

/** What the name of a namespace must be, in words. */
export const NAMESPACE_TEXT = `the name of a namespace: at most ${MAX_NAMESPACE} small letters, digits and "-"`;

/** Whether the API server takes the name for a Lease. */
export function isLeaseName(name: string): boolean {
  return name.length <= MAX_NAME && SUBDOMAIN.test(name);
}

/** Whether the API server takes the name for a namespace. */
export function isNamespaceName(name: string): boolean {
  return name.length <= MAX_NAMESPACE && LABEL.test(name);
}
