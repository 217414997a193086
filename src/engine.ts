// Declares packages without types, for compilers that start from this file alone.
/// <reference path="./engine/validate/npm-packlist.d.ts" />
/// <reference path="./engine/npm/npm-libraries.d.ts" />

/** Functions of the engine, for programs that need the features of the command line. See docs/engine.md. */

export { AgentToolsError, type ErrorCode } from './engine/base/errors.js';
export { type FolderFacts, type WorkspaceFolders, workspaceFolders } from './engine/base/folders.js';
export { choosePackageName } from './engine/create/package-name.js';
export {
  createExtension,
  type NewExtension,
  type Scaffold,
  type ScaffoldPlan,
} from './engine/create/scaffold.js';
export {
  type Derivation,
  type DeriveOptions,
  type DeriveRemark,
  derive,
  writeDerivation,
} from './engine/derive/derive.js';
export type * from './engine/discovery/facts.js';
export { isPublished, propertyOf } from './engine/discovery/facts-property.js';
export {
  type DiscoveryFolders,
  type ListServersOptions,
  listServers,
  type RemoteOptions,
  type ServerList,
} from './engine/discovery/list-servers.js';
export type { ListedServer, SourceName } from './engine/discovery/listed-server.js';
export {
  type FindPublished,
  publishedExtensions,
  type RegistryLookup,
} from './engine/discovery/published-lookup.js';
export { type ShowPlace, show } from './engine/discovery/show-reference.js';
export type { Binding, Derived, DerivedFunction } from './engine/extension/derived.js';
export type { ItemRef, Severity } from './engine/extension/diagnostics.js';
export type { InstallMissing } from './engine/extension/installer.js';
export {
  type FoundServer,
  Workspace,
  type WorkspaceOptions,
} from './engine/extension/workspace.js';
export {
  type Deletion,
  type DeletionRequest,
  deleteUserServer,
} from './engine/installation/delete-server.js';
export { type InstallationFolders, installationFolders } from './engine/installation/installation-folders.js';
export { composeServer, type ServerSpec } from './engine/runtime/compose-server.js';
export type { ToolResult } from './engine/runtime/result-builders.js';
export { type CallOnce, callOnce } from './engine/serve/call-once.js';
export type { Caller, TokenFault, TokenVerifier, Verdict } from './engine/serve/http/auth.js';
export { createHandler, type NodeHandlerOptions } from './engine/serve/http/create-handler.js';
export type { EventBus, ServerEvent } from './engine/serve/http/event-bus.js';
export type { FetchHandler, HandlerOptions } from './engine/serve/http/fetch-handler.js';
export type { LimitSettings } from './engine/serve/http/http-service.js';
export type { OAuthOptions } from './engine/serve/http/oauth.js';
export { type StartOptions, startServer } from './engine/serve/start-server.js';
export { createUserServer, type MadeServer } from './engine/user-servers/create.js';
export type { ServerPlan } from './engine/user-servers/definition.js';
export { type RuleRow, ruleTable } from './engine/validate/rules/index.js';
export {
  type ExtensionReport,
  type LocatedDiagnostic,
  type ValidateOptions,
  validateExtension,
} from './engine/validate/validate.js';
export type { Host } from './host.js';
