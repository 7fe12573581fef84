import { call } from './grpc.ts';
import type { MemberAccess } from './member-access.ts';

/** An alarm that is raised for one member. */
export interface RaisedAlarm {
  readonly memberId: string;
  readonly alarm: keyof typeof NUMBERS;
}

const NUMBERS = { NOSPACE: 1n, CORRUPT: 2n } as const;
const DEACTIVATE = 2n;
const TEXT_FIELD = 2n;

/**
 * Disarms one alarm of one member, and no other: `etcdctl alarm disarm` disarms all alarms, including one that was
 * raised a moment ago.
 */
export async function disarmAlarm(endpoint: string, raised: RaisedAlarm, access: MemberAccess): Promise<void> {
  const token = await tokenOf(endpoint, access);
  const { memberId, alarm } = raised;
  const fields = [number(1n, DEACTIVATE), number(2n, BigInt(`0x${memberId}`)), number(3n, NUMBERS[alarm])];
  const message = Buffer.concat(fields);
  const path = '/etcdserverpb.Maintenance/Alarm';
  await call({ ...access, endpoint, path, message, ...(token !== undefined && { token }) });
}

/** Returns a token for the user of etcdctl; undefined without one, where a certificate may name the user. */
async function tokenOf(endpoint: string, access: MemberAccess): Promise<string | undefined> {
  const { ETCDCTL_USER: user = '', ETCDCTL_PASSWORD: password } = access.env ?? process.env;
  if (user === '') return undefined;
  const [name = '', ...rest] = password === undefined ? user.split(':') : [user];
  const message = Buffer.concat([text(1n, name), text(2n, password ?? rest.join(':'))]);
  try {
    return tokenIn(await call({ ...access, endpoint, path: '/etcdserverpb.Auth/Authenticate', message }));
  } catch (error) {
    // The same rule as in etcdctl.
    if (String(error).includes('authentication is not enabled')) return undefined;
    throw error;
  }
}

/** The answer has a header, and the token behind it. */
function tokenIn(answer: Buffer): string {
  let rest = answer;
  while (rest.length > 0) {
    const tag = readVarint(rest);
    const length = readVarint(rest.subarray(tag.size));
    const start = tag.size + length.size;
    const end = start + Number(length.value);
    if (tag.value === ((2n << 3n) | TEXT_FIELD)) return rest.toString('utf8', start, end);
    rest = rest.subarray(end);
  }
  throw new Error('etcd has accepted the user, but gave no token');
}

function number(field: bigint, value: bigint): Buffer {
  return Buffer.concat([varint(field << 3n), varint(value)]);
}

function text(field: bigint, value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([varint((field << 3n) | TEXT_FIELD), varint(BigInt(bytes.length)), bytes]);
}

/** Seven bits a byte, the lowest first; the eighth says that there are more. */
function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

function readVarint(bytes: Buffer): { readonly value: bigint; readonly size: number } {
  let value = 0n;
  for (const [at, byte] of bytes.entries()) {
    value |= BigInt(byte & 0x7f) << BigInt(7 * at);
    if (byte < 0x80) return { value, size: at + 1 };
  }
  throw new Error('etcd sent a message that ends in the middle');
}
