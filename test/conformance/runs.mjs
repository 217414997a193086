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

/** What the suite skips whatever the server is. */
export const alwaysSkipped = {
  'tasks-status-notifications': 'the suite has not written it yet',
};
