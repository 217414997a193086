import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { rootCertificates } from 'node:tls';
import type { Environment } from '../base/environment.js';
import { isStringList } from '../base/value-checks.js';
import type { NpmDeps } from '../npm/npm-dependencies.js';

/** Proxies and certificates of the user. */
export interface ConnectionSettings {
  /** Proxy of npm's settings, for all addresses. It wins over the variables. */
  readonly proxy: string | undefined;
  readonly httpsProxy: string | undefined;
  readonly httpProxy: string | undefined;
  /** Hosts that are reached without a proxy, as in `NO_PROXY`. */
  readonly noProxy: readonly string[];
  /** Trusted certificates in PEM. Default: Node's own. */
  readonly ca: readonly string[] | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** False: certificates are not checked. */
  readonly strictSsl: boolean;
}

const variableNames =
  /^(?:https?_proxy|npm_config_.*(?:proxy|ca|cafile|cert|key|strict[-_]ssl|config|prefix))$/i;

const settingLine =
  /^[ \t]*(?:https?-proxy|proxy|noproxy|ca|cafile|cert|key|strict-ssl|prefix|globalconfig)(?:\[\])?[ \t]*=/m;

/** True if a variable or file may set a proxy or a certificate. Reading all settings of npm takes longer. */
export async function mayHaveSettings({ env, home, execPath }: NpmDeps): Promise<boolean> {
  if (Object.entries(env).some(([name, value]) => value && variableNames.test(name))) return true;
  const files = [path.join(home, '.npmrc'), path.resolve(path.dirname(execPath), '..', 'etc', 'npmrc')];
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return texts.some((text) => settingLine.test(text));
}

/**
 * Settings of npm and of variables; undefined if all are the defaults. The certificates of npm are trusted in addition to
 * Node's own and to `NODE_EXTRA_CA_CERTS`: unlike registries, other servers have public certificates.
 */
export async function readConnectionSettings(
  options: Readonly<Record<string, unknown>>,
  env: Environment,
): Promise<ConnectionSettings | undefined> {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const certificates = [options.ca ?? []].flat().map(String);
  const settings = {
    proxy: text(options.httpsProxy) ?? text(options.proxy),
    httpsProxy: readVariable(env, 'https_proxy'),
    httpProxy: readVariable(env, 'http_proxy'),
    noProxy: readNoProxy(options.noProxy, env),
    ca:
      certificates.length > 0
        ? [...rootCertificates, ...certificates, ...(await extraCertificates(env))]
        : undefined,
    cert: text(options.cert),
    key: text(options.key),
    strictSsl: options.strictSSL !== false,
  };
  const { proxy, httpsProxy, httpProxy, ca, cert, key, strictSsl } = settings;
  const isDefault = [proxy, httpsProxy, httpProxy, ca, cert, key].every((one) => one === undefined);
  return isDefault && strictSsl ? undefined : settings;
}

/** The lower-case name wins, as in curl. */
function readVariable(env: Environment, name: string): string | undefined {
  return env[name] || env[name.toUpperCase()] || undefined;
}

function readNoProxy(option: unknown, env: Environment): readonly string[] {
  const listed = isStringList(option) ? option : typeof option === 'string' ? [option] : [];
  const own = listed.flatMap(splitNames);
  return own.length > 0 ? own : splitNames(readVariable(env, 'no_proxy') ?? '');
}

function splitNames(text: string): readonly string[] {
  return text
    .split(/[\s,]+/)
    .map((name) => name.toLowerCase())
    .filter(Boolean);
}

async function extraCertificates({ NODE_EXTRA_CA_CERTS: file }: Environment): Promise<readonly string[]> {
  // Node itself warns of an unreadable file.
  return file ? [await readFile(file, 'utf8').catch(() => '')] : [];
}
