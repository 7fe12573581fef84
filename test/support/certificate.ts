import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** A self-signed certificate and its key, as PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateOptions {
  readonly commonName?: string;
  /** IPv4 addresses or DNS names; default 127.0.0.1 and localhost. */
  readonly names?: readonly string[];
  readonly notAfter?: Date;
  /** Default: of ECDSA on P-256. The signature is said to be of ECDSA, whatever they are. */
  readonly keys?: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  /** Whether it names its key in a way of its own; default: not at all. */
  readonly hasKeyId?: boolean;
}

/** Creates a self-signed certificate in memory. */
export function createCertificate(options: CertificateOptions = {}): TestCertificate {
  const { commonName = 'test', names = ['127.0.0.1', 'localhost'], notAfter = new Date('2049-01-01') } = options;
  const { publicKey, privateKey } = options.keys ?? generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keyId = options.hasKeyId === true ? [SUBJECT_KEY_ID] : [];
  const name = sequence(set(sequence(COMMON_NAME, der(0x0c, Buffer.from(commonName)))));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    // The first byte must be neither zero nor negative.
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    name,
    sequence(utcTime(new Date('2020-01-01')), utcTime(notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(BASIC_CONSTRAINTS, ...keyId, subjectAlternativeNames(names))),
  );
  return {
    cert: certificate(toBeSigned, privateKey),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function certificate(toBeSigned: Buffer, privateKey: KeyObject): string {
  const digest = privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const signature = sign(digest, toBeSigned, privateKey);
  const document = sequence(toBeSigned, ECDSA_WITH_SHA256, der(0x03, Buffer.concat([Buffer.of(0), signature])));
  const lines = document.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function subjectAlternativeNames(names: readonly string[]): Buffer {
  const encoded = names.map((name) =>
    isIPv4(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name)),
  );
  return sequence(Buffer.from('0603551d11', 'hex'), der(0x04, sequence(...encoded)));
}

function utcTime(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function set(...parts: readonly Buffer[]): Buffer {
  return der(0x31, Buffer.concat(parts));
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.of(tag, length), content]);
  const header = length < 256 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from(header), content]);
}

const COMMON_NAME = Buffer.from('0603550403', 'hex');
const ECDSA_WITH_SHA256 = Buffer.from('300a06082a8648ce3d040302', 'hex');
/** Critical, CA:TRUE. */
const SUBJECT_KEY_ID = Buffer.from('300b0603551d0e040404020102', 'hex');
const BASIC_CONSTRAINTS = Buffer.from('300f0603551d130101ff040530030101ff', 'hex');
