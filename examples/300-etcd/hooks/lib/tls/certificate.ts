import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { X509Certificate, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import {
  addressBytes,
  bitString,
  der,
  identifier,
  integer,
  octetString,
  partsOf,
  sequence,
  setOf,
  time,
  TRUE,
} from './der.ts';

/** A certificate and its private key, both as PEM. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** From when to when it is valid, in milliseconds since 1970; cut to whole seconds. */
export interface Lifetime {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** Makes an authority that signs leaves alone: an ECDSA key on P-256, and its certificate, signed by itself. */
export function makeAuthority(commonName: string, lifetime: Lifetime): Pair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // Its own number makes the name one that no other authority has.
  const name = nameOf(`${commonName} ${randomBytes(4).toString('hex')}`);
  const extensions = [
    extension('2.5.29.19', sequence(TRUE, integer(Buffer.of(0))), { isCritical: true }),
    extension('2.5.29.15', bitString(Buffer.of(KEY_CERT_SIGN), 2), { isCritical: true }),
    keyId(publicKey),
  ];
  const content = { issuer: name, subject: name, publicKey, extensions, ...lifetime };
  return { cert: signed(content, privateKey), key: pemOf(privateKey) };
}

export interface LeafOptions extends Lifetime {
  /** What etcd takes for the name of a user; none where it is empty. */
  readonly commonName: string;
  /** DNS names and addresses. */
  readonly names: readonly string[];
}

/** Makes a certificate for a server, a client, or both. */
export function makeLeaf(authority: Pair, { commonName, names, ...lifetime }: LeafOptions): Pair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer = createPrivateKey(authority.key);
  const extensions = [
    extension('2.5.29.19', sequence(), { isCritical: true }),
    extension('2.5.29.15', bitString(Buffer.of(DIGITAL_SIGNATURE), 7), { isCritical: true }),
    extension('2.5.29.37', sequence(identifier('1.3.6.1.5.5.7.3.1'), identifier('1.3.6.1.5.5.7.3.2'))),
    keyId(publicKey),
    extension('2.5.29.35', sequence(der(0x80, keyHash(createPublicKey(signer))))),
    ...(names.length === 0 ? [] : [alternativeNames(names, { isCritical: commonName === '' })]),
  ];
  const subject = commonName === '' ? sequence() : nameOf(commonName);
  const content = { issuer: subjectOf(authority.cert), subject, publicKey, extensions, ...lifetime };
  return { cert: signed(content, signer), key: pemOf(privateKey) };
}

const KEY_CERT_SIGN = 0b0000_0100;
const DIGITAL_SIGNATURE = 0b1000_0000;
const SERIAL_BYTES = 16;

interface Content extends Lifetime {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

function signed({ issuer, subject, publicKey, extensions, ...lifetime }: Content, key: KeyObject): string {
  const algorithm = sequence(identifier('1.2.840.10045.4.3.2'));
  const toBeSigned = sequence(
    // Version 3.
    der(0xa0, integer(Buffer.of(2))),
    // Positive, and not zero in front.
    integer(Buffer.concat([Buffer.of(1), randomBytes(SERIAL_BYTES)])),
    algorithm,
    issuer,
    sequence(time(lifetime.notBeforeMs), time(lifetime.notAfterMs)),
    subject,
    spki(publicKey),
    der(0xa3, sequence(...extensions)),
  );
  return new X509Certificate(sequence(toBeSigned, algorithm, bitString(sign('sha256', toBeSigned, key)))).toString();
}

function nameOf(commonName: string): Buffer {
  return sequence(setOf(sequence(identifier('2.5.4.3'), der(0x0c, Buffer.from(commonName)))));
}

/** The bytes in the authority's certificate, after version, number, algorithm, issuer and validity. */
function subjectOf(cert: string): Buffer {
  const [toBeSigned = Buffer.of()] = partsOf(new X509Certificate(cert).raw);
  return partsOf(toBeSigned)[5] ?? Buffer.of();
}

function extension(id: string, value: Buffer, { isCritical = false } = {}): Buffer {
  return sequence(identifier(id), ...(isCritical ? [TRUE] : []), octetString(value));
}

function keyId(key: KeyObject): Buffer {
  return extension('2.5.29.14', octetString(keyHash(key)));
}

/** 160 bits of the SHA-256 of the key, as RFC 7093 says. */
function keyHash(key: KeyObject): Buffer {
  return createHash('sha256').update(spki(key)).digest().subarray(0, 20);
}

function alternativeNames(names: readonly string[], options: { readonly isCritical: boolean }): Buffer {
  const encoded = names.map((name) =>
    isIP(name) === 0 ? der(0x82, Buffer.from(name)) : der(0x87, addressBytes(name)),
  );
  return extension('2.5.29.17', sequence(...encoded), options);
}

function spki(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
