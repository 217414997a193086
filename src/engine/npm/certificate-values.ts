/**
 * Values that Fulcio writes into the certificate of a build.
 * @see https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md
 */
export interface BuildCertificate {
  /** URL of the repository. Only build services have one; people do not. */
  readonly repository?: string;
  readonly commit?: string;
  /** URL of the workflow, with its reference. */
  readonly workflow?: string;
}

/** Last number of the OIDs 1.3.6.1.4.1.57264.1.x of these values. */
const numbers = { repository: 12, commit: 13, workflow: 9 } as const;

/** DER bytes of 1.3.6.1.4.1.57264.1. */
const fulcioArc = Buffer.from([0x2b, 0x06, 0x01, 0x04, 0x01, 0x83, 0xbf, 0x30, 0x01]);

const tags = { utf8: 0x0c, octets: 0x04, oid: 0x06, extensions: 0xa3 } as const;

/**
 * Reads the values from the extensions of a DER certificate. The caller has verified the certificate. Other parts of it, such as
 * the key, are skipped: a stranger chooses their bytes.
 * @throws RangeError for bytes that are not DER
 */
export function readBuildCertificate(certificate: Buffer): BuildCertificate {
  const [signed] = elements(elements(certificate)[0]!.body);
  const list = elements(signed!.body).find(({ tag }) => tag === tags.extensions);
  const extensions = list ? elements(elements(list.body)[0]!.body) : [];
  const values = new Map(extensions.flatMap(({ body }) => fulcioValue(body)));
  const found = Object.entries(numbers).flatMap(([name, number]) => {
    const value = values.get(number);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(found) as BuildCertificate;
}

function fulcioValue(extension: Buffer): readonly (readonly [number, string])[] {
  const parts = elements(extension);
  const [name, value] = [parts[0], parts.at(-1)];
  if (name?.tag !== tags.oid || value?.tag !== tags.octets) return [];
  const isFulcio = name.body.length === fulcioArc.length + 1 && name.body.subarray(0, -1).equals(fulcioArc);
  if (!isFulcio) return [];
  const [text] = value.body[0] === tags.utf8 ? elements(value.body) : [];
  return text ? [[name.body.at(-1)!, text.body.toString('utf8')]] : [];
}

interface Element {
  readonly tag: number;
  readonly body: Buffer;
}

/** The elements of a DER value, one after another. */
function elements(bytes: Buffer): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes.readUInt8(at);
    const first = bytes.readUInt8(at + 1);
    const extra = first < 0x80 ? 0 : first & 0x7f;
    const length = extra === 0 ? first : bytes.readUIntBE(at + 2, extra);
    const start = at + 2 + extra;
    if (start + length > bytes.length) throw new RangeError('The certificate is cut off.');
    found.push({ tag, body: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}
