// Records packages with provenance in test/recorded-provenance.json: their attestations, and the trusted keys of the Sigstore
// that made them. It is a stand-in with other keys. `node .scripts/record-provenance.mjs` installs it from npm into a
// temporary folder. The recording never expires.
import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import * as tar from 'tar';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'agenttools-provenance-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
writeFileSync(path.join(folder, 'package.json'), '{ "private": true }');
execFileSync(
  'npm',
  ['install', '--no-audit', 'sigstore@4', '@sigstore/mock', '@tufjs/repo-mock', 'nock@13'],
  {
    cwd: folder,
    stdio: 'inherit',
  },
);
const load = createRequire(path.join(folder, 'package.json'));
const sigstore = load('sigstore');
const nock = load('nock');
const sigstoreMock = load('@sigstore/mock');
const { initializeTUFRepo } = load('@tufjs/repo-mock');

const fulcioUrl = 'https://fulcio.example';
const rekorUrl = 'https://rekor.example';

/** A certificate authority with its logs, and the keys that trust them. */
async function openSigstore() {
  const keys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const [caKeys, ctKeys, logKeys] = [keys(), keys(), keys()];
  const ctLog = await sigstoreMock.initializeCTLog(ctKeys);
  const ca = await sigstoreMock.initializeCA(caKeys, ctLog);
  const log = await sigstoreMock.initializeTLog(rekorUrl, logKeys);
  const idOf = (key) => createHash('sha256').update(key).digest('base64');
  const logEntry = (publicKey, baseUrl) => {
    const der = publicKey.export({ type: 'spki', format: 'der' });
    return {
      baseUrl,
      hashAlgorithm: 'SHA2_256',
      publicKey: {
        rawBytes: der.toString('base64'),
        keyDetails: 'PKIX_ECDSA_P256_SHA_256',
        validFor: { start: '2020-01-01T00:00:00Z' },
      },
      logId: { keyId: idOf(der) },
    };
  };
  const trustedRoot = {
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    tlogs: [logEntry(logKeys.publicKey, rekorUrl)],
    certificateAuthorities: [
      {
        subject: { organization: 'sigstore.mock', commonName: 'sigstore' },
        uri: fulcioUrl,
        certChain: { certificates: [{ rawBytes: Buffer.from(ca.rootCertificate).toString('base64') }] },
        validFor: { start: '2020-01-01T00:00:00Z' },
      },
    ],
    ctlogs: [logEntry(ctKeys.publicKey, fulcioUrl)],
    timestampAuthorities: [],
  };
  return { ca, log, trustedRoot };
}

/** The entry of the log, which has hashes in place of the envelope. */
function logged(proposal) {
  const { envelope: text, verifiers } = proposal.spec.proposedContent;
  const envelope = JSON.parse(text);
  const hash = (data) => ({ algorithm: 'sha256', value: createHash('sha256').update(data).digest('hex') });
  const spec = {
    envelopeHash: hash(text),
    payloadHash: hash(Buffer.from(envelope.payload, 'base64')),
    signatures: envelope.signatures.map(({ sig }) => ({ signature: sig, verifier: verifiers[0] })),
  };
  return { ...proposal, spec };
}

/** The attestation of a statement by a build with these claims. */
async function attest({ ca, log }, statement, claims, subjectClaim) {
  const answer = (base, { path: at, fn }) =>
    nock(base)
      .post(at)
      .reply(async (_, body) => {
        const sent = typeof body === 'string' ? JSON.parse(body) : body;
        const { statusCode, response } = await fn(JSON.stringify(base === rekorUrl ? logged(sent) : sent));
        return [statusCode, response, { 'content-type': 'application/json' }];
      });
  answer(fulcioUrl, sigstoreMock.fulcioHandler(ca, { subjectClaim }));
  answer(rekorUrl, sigstoreMock.rekorHandler(log));
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return await sigstore.attest(Buffer.from(JSON.stringify(statement)), 'application/vnd.in-toto+json', {
    fulcioURL: fulcioUrl,
    rekorURL: rekorUrl,
    identityToken: [part({ alg: 'none' }), part({ sub: 'build', ...claims }), 'none'].join('.'),
  });
}

/** Claims of a build of a repository, as GitHub states them. */
const buildOf = (repository, sha) => ({
  iss: 'https://token.actions.githubusercontent.com',
  repository,
  sha,
  ref: 'refs/tags/v1.0.0',
  job_workflow_ref: `${repository}/.github/workflows/publish.yml@refs/tags/v1.0.0`,
  workflow_uri: `https://github.com/${repository}/.github/workflows/publish.yml@refs/tags/v1.0.0`,
});
const person = {
  iss: 'https://accounts.example',
  email: 'ada@acme.example',
  email_verified: true,
  workflow_uri: 'ada@acme.example',
};

async function pack(files) {
  const place = mkdtempSync(path.join(folder, 'package-'));
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(place, 'package', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const file = path.join(place, 'package.tgz');
  await tar.create({ gzip: true, file, cwd: place, portable: true }, ['package']);
  return readFileSync(file);
}

const kit = (version) => ({
  'package.json': JSON.stringify({ name: '@acme/kit', version, agenttools: { tools: ['tell'] } }),
  'agenttools/tools/tell.json': JSON.stringify({ description: 'Tells.', handler: './tell.js' }),
  'tell.js': `module.exports = () => "told by ${version}";\n`,
});
const server = {
  'package.json': JSON.stringify({ name: '@acme/mcp', version: '1.2.0', bin: 'server.cjs' }),
  'server.cjs': '// The tests do not start it.\n',
};

const [trusted, foreign] = [await openSigstore(), await openSigstore()];
const commit = (digit) => digit.repeat(40);
const builds = [
  { files: kit('1.0.0'), claims: buildOf('acme/kit', commit('a')) },
  { files: kit('1.1.0'), claims: buildOf('acme/kit', commit('b')) },
  { files: kit('1.2.0'), claims: buildOf('stranger/kit', commit('c')) },
  { files: kit('2.0.0'), claims: person },
  { files: kit('3.0.0'), claims: buildOf('acme/kit', commit('d')), by: foreign },
  { files: server, claims: buildOf('acme/mcp', commit('e')) },
];
const packages = [];
for (const { files, claims, by = trusted } of builds) {
  const packageJson = JSON.parse(files['package.json']);
  const { name, version } = packageJson;
  const tarball = await pack(files);
  const sha512 = createHash('sha512').update(tarball).digest('hex');
  const predicateType = 'https://slsa.dev/provenance/v1';
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: `pkg:npm/${name.replace('@', '%40')}@${version}`, digest: { sha512 } }],
    predicateType,
    predicate: {
      buildDefinition: {
        buildType: 'https://slsa-framework.github.io/github-actions-buildtypes/workflow/v1',
      },
    },
  };
  const bundle = await attest(by, statement, claims, 'workflow_uri');
  packages.push({
    packageJson,
    tarball: tarball.toString('base64'),
    attestations: [{ predicateType, bundle }],
  });
}

// The metadata of the keys expires in the year 2126.
const { setFullYear } = Date.prototype;
Date.prototype.setFullYear = function setLater(year) {
  return setFullYear.call(this, year + 99);
};
const repository = initializeTUFRepo([
  { name: 'trusted_root.json', content: JSON.stringify(trusted.trustedRoot) },
]);
Date.prototype.setFullYear = setFullYear;
const { rootMeta, timestampMeta, snapshotMeta, targetsMeta } = repository;
const keys = {
  'root.json': rootMeta,
  'timestamp.json': timestampMeta,
  'snapshot.json': snapshotMeta,
  'targets.json': targetsMeta,
  'targets/trusted_root.json': trusted.trustedRoot,
};
const recording = {
  packages,
  keys: Object.fromEntries(Object.entries(keys).map(([name, value]) => [name, JSON.stringify(value)])),
};
writeFileSync(
  path.join(root, 'test/recorded-provenance.json'),
  `${JSON.stringify(recording, undefined, 1)}\n`,
);
