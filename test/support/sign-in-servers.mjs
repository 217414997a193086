// A real authorization server (`oidc-provider`), and an MCP server behind it, by the official SDK.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';
import { Provider } from 'oidc-provider';

const scopes = ['tickets:read', 'tickets:write', 'offline_access'];

/**
 * Starts both servers on this machine. The user of the authorization server agrees to everything.
 * @param {import('./sign-in-servers.mjs').ServerOptions} [options]
 */
export async function startSignInServers({ accessTokenSeconds = 3600, codeSeconds = 60, clients = [] } = {}) {
  const resourceServer = await listen();
  const authorizationServer = await listen();
  const issuer = `http://127.0.0.1:${authorizationServer.address().port}`;
  const url = `http://127.0.0.1:${resourceServer.address().port}/mcp`;
  const provider = createProvider({ issuer, url, accessTokenSeconds, codeSeconds, clients });
  /** Requests to the authorization server: method and path. */
  const requests = [];
  authorizationServer.on('request', (request, response) => {
    const { pathname } = new URL(request.url, issuer);
    requests.push(`${request.method} ${pathname}`);
    if (pathname.startsWith('/interaction/')) void agree(provider, request, response);
    else provider.callback()(request, response);
  });
  const calls = [];
  const tokens = { seen: new Set(), refused: new Set() };
  resourceServer.on('request', createResourceApp({ provider, issuer, url, calls, tokens }));
  return {
    url,
    issuer,
    requests,
    calls,
    /** Makes every access token of before invalid, as an expiry does. */
    endAccessTokens: () => {
      for (const token of tokens.seen) tokens.refused.add(token);
    },
    close: async () => {
      for (const server of [resourceServer, authorizationServer]) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
    },
  };
}

async function listen() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function createProvider({ issuer, url, accessTokenSeconds, codeSeconds, clients }) {
  const provider = new Provider(issuer, {
    clients,
    scopes,
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: codeSeconds,
      ClientCredentials: accessTokenSeconds,
      Grant: 3600,
      Interaction: 3600,
      RefreshToken: 3600,
      Session: 3600,
      IdToken: 3600,
    },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => url,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: scopes.join(' '),
          audience: url,
          accessTokenFormat: 'opaque',
        }),
      },
    },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: () => false,
    rotateRefreshToken: true,
    cookies: { keys: ['test'] },
  });
  return provider;
}

async function agree(provider, request, response) {
  const { prompt, params } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: 'user' } });
    return;
  }
  const grant = new provider.Grant({ accountId: 'user', clientId: params.client_id });
  grant.addOIDCScope(params.scope ?? 'openid');
  if (params.resource) grant.addResourceScope(params.resource, params.scope);
  const grantId = await grant.save();
  await provider.interactionFinished(
    request,
    response,
    { consent: { grantId } },
    { mergeWithLastSubmission: true },
  );
}

function createResourceApp({ provider, issuer, url, calls, tokens: { seen, refused } }) {
  const app = express();
  const metadataUrl = new URL('/.well-known/oauth-protected-resource/mcp', url).href;
  app.get(new URL(metadataUrl).pathname, (_, response) => {
    response.json({
      resource: url,
      authorization_servers: [issuer],
      scopes_supported: ['tickets:read'],
    });
  });
  const verifier = {
    async verifyAccessToken(token) {
      const found =
        (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
      if (!found || refused.has(token)) throw new InvalidTokenError('The token is not valid');
      seen.add(token);
      return {
        token,
        clientId: found.clientId,
        scopes: (found.scope ?? '').split(' '),
        expiresAt: found.exp,
      };
    },
  };
  app.use(express.json());
  app.post(
    '/mcp',
    requireBearerAuth({ verifier, requiredScopes: ['tickets:read'], resourceMetadataUrl: metadataUrl }),
    (request, response, next) => {
      const needsMore = request.body.params?.name === 'close_ticket';
      if (!needsMore || request.auth.scopes.includes('tickets:write')) return next();
      response
        .status(403)
        .set(
          'WWW-Authenticate',
          `Bearer error="insufficient_scope", scope="tickets:write", resource_metadata="${metadataUrl}"`,
        )
        .json({ error: 'insufficient_scope' });
    },
    async (request, response) => {
      calls.push(request.body.method);
      const server = new McpServer({ name: 'tickets', version: '1.0.0' });
      const answer = (text) => async () => ({ content: [{ type: 'text', text }] });
      server.registerTool('list_tickets', { description: 'Lists tickets.' }, answer('two tickets'));
      server.registerTool('close_ticket', { description: 'Closes a ticket.' }, answer('closed'));
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
      await server.connect(transport);
      await transport.handleRequest(request, response, request.body);
    },
  );
  app.all('/mcp', (_, response) => response.status(405).end());
  return app;
}

/** A browser that keeps cookies and follows redirects, until the address of the program. Returns that address. */
export async function browse(address) {
  const cookies = new Map();
  let at = new URL(address);
  const { origin } = at;
  for (let step = 0; step < 20; step += 1) {
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair] = line.split(';');
      const split = pair.indexOf('=');
      cookies.set(pair.slice(0, split), pair.slice(split + 1));
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${at} answers with ${response.status}: ${await response.text()}`);
    at = new URL(location, at);
    if (at.origin !== origin) return at.href;
  }
  throw new Error('The authorization server redirects without end.');
}
