/** Returns the message, the time and the server, so that the app can show that every step works. */
export default function mcpAppsTest({ message }, ctx) {
  return JSON.stringify({
    echo: message,
    timestamp: new Date().toISOString(),
    server: { ...ctx.server, node: process.versions.node },
  });
}
