import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A certificate with its private key, in PEM. */
interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A private certificate authority. */
export interface Authority {
  /** Its certificate in PEM. */
  readonly ca: string;
  /** Issues a certificate for host names. */
  readonly issue: (...hosts: readonly string[]) => Certificate;
}

/** Creates a certificate authority with new keys. */
export function createAuthority(): Authority {
  const issuer = { name: 'Test Authority', ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) };
  const ca = certify(issuer.name, issuer.publicKey, issuer, [
    extension('551d13', true, sequence(tagged(0x01, Buffer.from([0xff])))),
  ]);
  return {
    ca,
    issue: (...hosts) => {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const names = hosts.map((host) => tagged(0x82, Buffer.from(host)));
      const cert = certify(hosts[0]!, publicKey, issuer, [extension('551d11', false, sequence(...names))]);
      return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
    },
  };
}

interface Issuer {
  readonly name: string;
  readonly privateKey: KeyObject;
}

/** @see RFC 5280, section 4.1 */
function certify(name: string, publicKey: KeyObject, issuer: Issuer, extensions: readonly Buffer[]): string {
  const algorithm = sequence(objectId('2a8648ce3d040302'));
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    distinguishedName(issuer.name),
    sequence(utcTime(-1), utcTime(1)),
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions)),
  );
  const signature = bitString(sign('sha256', body, issuer.privateKey));
  const text = sequence(body, algorithm, signature).toString('base64').replace(/.{64}/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
const objectId = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'));
const bitString = (bytes: Buffer): Buffer => tagged(0x03, Buffer.concat([Buffer.from([0]), bytes]));

function distinguishedName(name: string): Buffer {
  return sequence(tagged(0x31, sequence(objectId('550403'), tagged(0x0c, Buffer.from(name)))));
}

function utcTime(days: number): Buffer {
  const time = new Date(Date.now() + days * 86_400_000).toISOString();
  return tagged(0x17, Buffer.from(`${time.slice(2, 19).replace(/[-T:]/g, '')}Z`));
}

function extension(hex: string, isCritical: boolean, value: Buffer): Buffer {
  const critical = isCritical ? [tagged(0x01, Buffer.from([0xff]))] : [];
  return sequence(objectId(hex), ...critical, tagged(0x04, value));
}
