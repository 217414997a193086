import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { RegistryServer } from './registry-server.js';

/** Has no meaning elsewhere. */
const token = 'token-of-ada';

type Document = Readonly<Record<string, unknown>>;

interface Package {
  readonly name: string;
  readonly tags: Record<string, string>;
  readonly versions: Record<string, Document>;
  readonly time: Record<string, string>;
  /** By file name. */
  readonly tarballs: Map<string, Buffer>;
}

/** As npm sends it. */
interface Publication {
  readonly name: string;
  readonly 'dist-tags': Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, Document>>;
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>;
}

interface Answer {
  readonly status?: number;
  readonly type?: string;
  /** Bytes, or a value that becomes JSON. */
  readonly body: unknown;
}

/** An answer that is an error. */
const failure = (status: number, error: string): Answer => ({ status, body: { error } });

/** The fields of a version that `npm install` reads. */
const installFields = [
  ...['name', 'version', 'description', 'deprecated', 'dist', 'bin', 'directories', 'engines', 'os', 'cpu'],
  ...['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies'],
  ...['peerDependenciesMeta', 'funding', '_hasShrinkwrap'],
];

const installType = 'application/vnd.npm.install-v1+json';

/**
 * Answers as verdaccio does, in this process and in no time. `npm run test:all` runs the same tests with verdaccio.
 * @see https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md
 */
export async function startStandIn(): Promise<RegistryServer> {
  const requestLines: string[] = [];
  const packages = new Map<string, Package>();
  const server = createServer(async (request, response) => {
    requestLines.push(`${request.method} ${request.url}`);
    send(await answerTo(request, packages), request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    token,
    requests: () => [...requestLines],
    stop: async () => {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}

function send({ status = 200, type, body }: Answer, { headers }: IncomingMessage, response: ServerResponse) {
  const isBytes = Buffer.isBuffer(body);
  const data = isBytes ? body : Buffer.from(JSON.stringify(body));
  const etag = `"${createHash('md5').update(data).digest('hex')}"`;
  if (headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end();
  const contentType = type ?? (isBytes ? 'application/octet-stream' : 'application/json; charset=utf-8');
  response.writeHead(status, { 'content-type': contentType, etag, 'content-length': data.length }).end(data);
}

async function answerTo(request: IncomingMessage, packages: Map<string, Package>): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://registry');
  const isKnown = request.headers.authorization === `Bearer ${token}`;
  const path = decodeURIComponent(pathname);
  if (path === '/-/ping') return { body: {} };
  if (path === '/-/whoami') return { body: isKnown ? { username: 'ada' } : {} };
  if (path === '/-/v1/search') return { body: search(searchParams, packages, isKnown) };
  const [, tagged] = /^\/-\/package\/(.+)\/dist-tags$/.exec(path) ?? [];
  const [, named, file, wanted] = /^\/((?:@[^/]+\/)?[^/]+)(?:\/-\/([^/]+)|\/([^/]+))?$/.exec(path) ?? [];
  const name = tagged ?? named ?? '';
  if (request.method === 'PUT') {
    if (!isKnown) return failure(401, `authorization required to publish package ${name}`);
    return publish((await json(request)) as Publication, packages);
  }
  if (isPrivate(name) && !isKnown) return failure(401, `authorization required to access package ${name}`);
  const found = packages.get(name);
  if (!found) return failure(404, 'no such package available');
  if (tagged !== undefined) return { body: found.tags };
  if (file !== undefined) {
    const tarball = found.tarballs.get(file);
    return tarball ? { body: tarball } : failure(404, 'no such file available');
  }
  if (wanted !== undefined) {
    const version = found.versions[found.tags[wanted] ?? wanted];
    return version ? { body: version } : failure(404, `this version doesn't exist: ${wanted}`);
  }
  return packument(found, request.headers.accept?.includes(installType) ?? false);
}

const isPrivate = (name: string) => name.startsWith('@private/');

function publish({ name, versions, ...sent }: Publication, packages: Map<string, Package>): Answer {
  const now = new Date().toISOString();
  const held: Package = packages.get(name) ?? {
    name,
    tags: {},
    versions: {},
    time: { modified: now, created: now },
    tarballs: new Map(),
  };
  for (const [version, document] of Object.entries(versions)) {
    if (Object.hasOwn(held.versions, version)) return failure(409, 'this package is already present');
    held.versions[version] = { ...document, contributors: [] };
    held.time[version] = now;
  }
  held.time.modified = now;
  // The first version is the latest, whatever its tag.
  Object.assign(held.tags, { latest: Object.keys(versions)[0], ...held.tags }, sent['dist-tags']);
  for (const [file, { data }] of Object.entries(sent._attachments)) {
    held.tarballs.set(file, Buffer.from(data, 'base64'));
  }
  packages.set(name, held);
  return { status: 201, body: { ok: 'created new package', success: true } };
}

function packument({ name, tags, versions, time }: Package, isForInstalling: boolean): Answer {
  const all = { name, 'dist-tags': tags, time };
  if (!isForInstalling) return { body: { ...all, _id: name, versions, users: {}, readme: '' } };
  const documents = Object.entries(versions).map(([version, document]) => [
    version,
    installDocument(document),
  ]);
  return {
    type: `${installType}; charset=utf-8`,
    body: { ...all, modified: time.modified, versions: Object.fromEntries(documents) },
  };
}

function installDocument(document: Document): Document {
  const { preinstall, install, postinstall } = (document.scripts ?? {}) as Document;
  return {
    ...Object.fromEntries(Object.entries(document).filter(([field]) => installFields.includes(field))),
    hasInstallScript: [preinstall, install, postinstall].some((script) => script !== undefined),
  };
}

/** Looks for names alone, as verdaccio does, and counts what is on the page only. */
function search(query: URLSearchParams, packages: ReadonlyMap<string, Package>, isKnown: boolean) {
  const [text = '', from, size] = ['text', 'from', 'size'].map((one) => query.get(one) ?? '');
  const found = [...packages.values()].filter(
    ({ name }) => name.includes(text) && (isKnown || !isPrivate(name)),
  );
  const objects = found
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .slice(Number(from), Number(from) + Number(size || 20))
    .map(searchResult);
  return { objects, total: objects.length, time: new Date().toUTCString() };
}

function searchResult({ name, tags, versions, time }: Package) {
  const latest = versions[tags.latest!]!;
  const { name: user, email = '' } = (latest._npmUser ?? {}) as Document;
  return {
    package: {
      name,
      description: latest.description,
      'dist-tags': { latest: tags.latest },
      maintainers: [],
      publisher: user === undefined ? {} : { username: user, email },
      keywords: latest.keywords,
      time: { modified: time.modified },
      versions: { [tags.latest!]: 'latest' },
    },
    searchScore: 100_000,
  };
}
