/** Reports the runtime, the client and the arguments. From the environment, it reports names of the platform only. */
export function diagnostics(args, ctx) {
  return {
    ...(Object.hasOwn(args, 'echo') && { echo: args.echo }),
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
