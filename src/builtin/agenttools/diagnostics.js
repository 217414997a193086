/** What runs here, and who is asking. Nothing of the environment but names of the platform is told. */
export function diagnostics(_args, ctx) {
  return {
    server: ctx.server,
    runtime: { node: process.versions.node, platform: process.platform, arch: process.arch },
    protocolVersion: ctx.protocolVersion,
    client: {
      name: ctx.client.name ?? null,
      version: ctx.client.version ?? null,
      capabilities: ctx.client.capabilities,
    },
  };
}
