/** The suites, as npm knows them. Pinned: what they look at changes from release to release. */
export const packages = {
  next: '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  stable: '@modelcontextprotocol/conformance@0.1.16',
};

/** What is run, and how many scenarios that is: one that vanished has not passed. */
export const runs = [
  { name: 'requirements 2026-07-28', suite: 'next', args: ['--requirements', '2026-07-28'], scenarios: 50 },
  { name: 'requirements 2025-11-25', suite: 'next', args: ['--requirements', '2025-11-25'], scenarios: 33 },
  { name: 'all of 2026-07-28', suite: 'next', args: allOf('2026-07-28'), scenarios: 40 },
  { name: 'all of 2025-06-18', suite: 'next', args: allOf('2025-06-18'), scenarios: 27 },
  { name: 'all of 2025-03-26', suite: 'next', args: allOf('2025-03-26'), scenarios: 1 },
  { name: 'all, extensions too', suite: 'next', args: ['--suite', 'all'], scenarios: 65 },
  { name: 'all of the stable suite', suite: 'stable', args: ['--suite', 'all'], scenarios: 32 },
];

/**
 * Runs with our client. `checks` are the checks of each scenario that the SDK's own client passes: a client that does
 * nothing passes, too.
 */
export const clientRuns = [
  {
    name: 'client requirements 2026-07-28',
    args: ['--requirements', '2026-07-28'],
    checks: {
      tools_call: 2,
      'request-metadata': 8,
      'auth/metadata-default': 18,
      'auth/metadata-var1': 18,
      'auth/metadata-var2': 18,
      'auth/metadata-var3': 18,
      'auth/basic-cimd': 12,
      'auth/scope-from-www-authenticate': 14,
      'auth/scope-from-scopes-supported': 14,
      'auth/scope-omitted-when-undefined': 14,
      'auth/scope-step-up': 23,
      'auth/scope-retry-limit': 11,
      'auth/token-endpoint-auth-basic': 19,
      'auth/token-endpoint-auth-post': 19,
      'auth/token-endpoint-auth-none': 19,
      'auth/pre-registration': 10,
      'auth/resource-mismatch': 3,
      'auth/offline-access-scope': 11,
      'auth/offline-access-not-supported': 14,
      'auth/authorization-server-migration': 27,
      'auth/iss-supported': 14,
      'auth/iss-not-advertised': 14,
      'auth/iss-supported-missing': 8,
      'auth/iss-wrong-issuer': 8,
      'auth/iss-unexpected': 8,
      'auth/iss-normalized': 8,
      'auth/metadata-issuer-mismatch': 3,
      'sep-2322-client-request-state': 5,
      'http-standard-headers': 9,
      'http-custom-headers': 18,
      'http-invalid-tool-headers': 12,
      'json-schema-ref-no-deref': 1,
      'json-schema-2020-12-preservation': 9,
      'auth/client-credentials-jwt': 5,
      'auth/client-credentials-basic': 5,
    },
  },
  {
    name: 'client requirements 2025-11-25',
    args: ['--requirements', '2025-11-25'],
    checks: {
      initialize: 1,
      tools_call: 2,
      'elicitation-sep1034-client-defaults': 5,
      'sse-retry': 3,
      'auth/metadata-default': 19,
      'auth/metadata-var1': 19,
      'auth/metadata-var2': 19,
      'auth/metadata-var3': 19,
      'auth/basic-cimd': 14,
      'auth/scope-from-www-authenticate': 15,
      'auth/scope-from-scopes-supported': 15,
      'auth/scope-omitted-when-undefined': 15,
      'auth/scope-step-up': 21,
      'auth/scope-retry-limit': 10,
      'auth/token-endpoint-auth-basic': 20,
      'auth/token-endpoint-auth-post': 20,
      'auth/token-endpoint-auth-none': 20,
      'auth/pre-registration': 13,
      'json-schema-2020-12-preservation': 9,
      'auth/client-credentials-jwt': 7,
      'auth/client-credentials-basic': 7,
    },
  },
  {
    name: 'client of 2025-03-26',
    args: ['--suite', 'backcompat'],
    checks: {
      'auth/2025-03-26-oauth-metadata-backcompat': 13,
      'auth/2025-03-26-oauth-endpoint-fallback': 8,
    },
  },
  // Only the suite of all scenarios has these.
  ...['no-prefetch', 'verify-digest', 'verify-size', 'verify-frontmatter'].map((rule) => ({
    name: `client of skills, ${rule}`,
    args: ['--scenario', `sep-2640-client-${rule}`],
    checks: { [`sep-2640-client-${rule}`]: 1 },
  })),
];

/** Extensions that our client does not support, with the reason. docs/protocol.md lists them, too. */
export const unclaimedExtensions = {
  'auth/dpop': 'tokens that are bound to a key',
  'auth/dpop-nonce': 'tokens that are bound to a key',
  'auth/enterprise-managed-authorization': 'sign-in by the identity provider of a company',
  'auth/wif-jwt-bearer': 'sign-in by the identity of a workload',
};

function allOf(version) {
  return ['--suite', 'all', '--spec-version', version];
}

/**
 * Duties of HTTP itself, which a pipe does not have and the bridge does not take on: scenarios, or single checks of one.
 * @see MCP 2026-07-28, basic/transports/streamable-http
 */
export const httpDuties = {
  'dns-rebinding-protection': 'headers Host and Origin',
  'http-header-validation': 'headers that repeat the body',
  'http-custom-header-server-validation': 'headers that repeat arguments',
  'server-session-lifecycle': "sessions by header: those here are the bridge's",
  'server-sse-polling': 'streams that are taken up again',
  'server-sse-multiple-streams': 'streams beside each other',
  'server-stateless:sep-2575-http-server-header-mismatch-400': 'a header that contradicts the body',
  'tasks-request-headers:tasks-headers-reject-mismatched-method': 'a header that contradicts the body',
  'tasks-request-headers:sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get':
    'a header that contradicts the body',
};

/** What the suite skips whatever the server or the client is. */
export const alwaysSkipped = {
  'tasks-status-notifications': 'the suite has not written it yet',
  'http-standard-headers': 'requests that clients of 2026-07-28 do not send',
};
