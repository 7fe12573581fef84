import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { isIP } from 'node:net';
import type { Certificate as PemPair } from '../../tls-server.ts';

/** From when to when a certificate is valid; both are cut to whole seconds. */
export interface Lifetime {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** Makes a certificate authority: an ECDSA key on P-256 and its certificate, signed by itself, which signs leaves alone. */
export function makeAuthority(commonName: string, lifetime: Lifetime): PemPair {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = nameOf(commonName);
  const id = keyIdOf(keys.publicKey);
  const certificate = signed(keys.privateKey, {
    ...lifetime,
    issuer: name,
    subject: name,
    publicKey: keys.publicKey,
    extensions: [
      extension(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 }), true),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign), true),
      extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(id)),
      extension(id_ce_authorityKeyIdentifier, authorityKeyId(id)),
    ],
  });
  return { cert: certificate, key: pemOf(keys.privateKey) };
}

/** Makes a serving certificate for `names`, which are DNS names and IP addresses, signed by `authority`. */
export function makeLeaf(authority: PemPair, names: readonly string[], lifetime: Lifetime): PemPair {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = AsnConvert.parse(new X509Certificate(authority.cert).raw, Certificate).tbsCertificate.subject;
  const certificate = signed(createPrivateKey(authority.key), {
    ...lifetime,
    issuer,
    subject: nameOf(names.find((name) => name.length <= MAX_COMMON_NAME) ?? 'hooklet'),
    publicKey: keys.publicKey,
    extensions: [
      extension(id_ce_basicConstraints, new BasicConstraints({ cA: false }), true),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
      extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
      extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyIdOf(keys.publicKey))),
      extension(id_ce_authorityKeyIdentifier, authorityKeyId(keyIdOf(createPublicKey(authority.key)))),
      extension(id_ce_subjectAltName, new SubjectAlternativeName(names.map(alternativeName))),
    ],
  });
  return { cert: certificate, key: pemOf(keys.privateKey) };
}

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const COMMON_NAME = '2.5.4.3';
/** Of X.520. */
const MAX_COMMON_NAME = 64;
/** Random bytes of a serial number: 128 bits. */
const SERIAL_BYTES = 16;

interface ToBeSigned extends Lifetime {
  readonly issuer: Name;
  readonly subject: Name;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Extension[];
}

function signed(privateKey: KeyObject, content: ToBeSigned): string {
  const { issuer, subject, publicKey, extensions, notBeforeMs, notAfterMs } = content;
  const algorithm = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialNumber(),
    signature: algorithm,
    issuer,
    validity: new Validity({ notBefore: wholeSeconds(notBeforeMs), notAfter: wholeSeconds(notAfterMs) }),
    subject,
    subjectPublicKeyInfo: AsnConvert.parse(spki(publicKey), SubjectPublicKeyInfo),
    extensions: new Extensions([...extensions]),
  });
  const signature = sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), privateKey);
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: algorithm,
    signatureValue: bytesOf(signature),
  });
  return new X509Certificate(Buffer.from(AsnConvert.serialize(certificate))).toString();
}

/** A positive number whose first byte is not zero, as DER wants it; a byte in front of the random ones sees to that. */
function serialNumber(): ArrayBuffer {
  return bytesOf(Buffer.concat([Buffer.of(1), randomBytes(SERIAL_BYTES)]));
}

function nameOf(commonName: string): Name {
  const value = new AttributeValue({ utf8String: commonName });
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: COMMON_NAME, value })])]);
}

function alternativeName(name: string): GeneralName {
  return new GeneralName(isIP(name) === 0 ? { dNSName: name } : { iPAddress: name });
}

function authorityKeyId(id: ArrayBuffer): AuthorityKeyIdentifier {
  return new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(id) });
}

function extension(extnID: string, value: unknown, critical = false): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

/** The first 160 bits of the key's SHA-256, as RFC 7093 says. */
function keyIdOf(publicKey: KeyObject): ArrayBuffer {
  return bytesOf(createHash('sha256').update(spki(publicKey)).digest().subarray(0, 20));
}

function spki(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' });
}

function pemOf(privateKey: KeyObject): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function wholeSeconds(timeMs: number): Date {
  return new Date(Math.floor(timeMs / 1000) * 1000);
}

function bytesOf(buffer: Buffer): ArrayBuffer {
  return Uint8Array.from(buffer).buffer;
}
