/** What was sent, when it came, and who answers: enough for the app to show that every step works. */
export default function mcpAppsTest({ message }, ctx) {
  return JSON.stringify({
    echo: message,
    timestamp: new Date().toISOString(),
    server: { ...ctx.server, node: process.versions.node },
  });
}
