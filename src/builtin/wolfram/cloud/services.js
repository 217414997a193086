const standard = 'https://services.wolfram.com';

/** Where Wolfram's services are: `WOLFRAM_SERVICES_BASE` for a proxy or a test. Undefined when that may not be used. */
export function servicesBase(env) {
  const set = env.WOLFRAM_SERVICES_BASE?.trim();
  if (!set) return standard;
  try {
    const { protocol, hostname, username, password, origin, pathname } = new URL(set);
    const isOwn = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
    // A key goes there, which nobody may read on its way.
    if (username || password || !(protocol === 'https:' || (protocol === 'http:' && isOwn))) return undefined;
    return `${origin}${pathname.replace(/\/+$/, '')}`;
  } catch {
    return undefined;
  }
}
