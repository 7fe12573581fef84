/**
 * Who a client is for limits by source: its address, of IPv6 the first 64 bits, of which a client has all the others.
 * Empty where there is no address, as on a unix socket.
 */
export function clientSource(address = ''): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  return address.includes(':') ? groupsOf(address.replace(/%.*/, '')).slice(0, 4).join(':') : address;
}

/** The eight groups of an IPv6 address, those that `::` stands for too. */
function groupsOf(address: string): readonly string[] {
  const [before = [], after] = address.split('::', 2).map((part) => part.split(':').filter((group) => group !== ''));
  if (after === undefined) return before;
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...zeros, ...after];
}
