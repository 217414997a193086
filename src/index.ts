/**
 * Exports for extension authors. Contains no protocol and no command line. All exports only add types and
 * earlier errors; plain objects of the same form work too.
 */

export type {
  Answer,
  AskOptions,
  CallOptions,
  Context as ToolContext,
  ItemPage,
  ItemQuery,
  ItemRegistry,
  ListedItem,
  ListedKind,
  LogLevel,
  Root,
  Session,
  ShownQuery,
  UrlAnswer,
} from './engine/runtime/context.js';
export { definePrompt, defineResource, defineServer, defineTool } from './engine/runtime/define-items.js';
export type { PromptArguments, PromptDefinition } from './engine/runtime/definition-types/prompt-types.js';
export type { ResourceDefinition } from './engine/runtime/definition-types/resource-types.js';
export type { ServerDefinition } from './engine/runtime/definition-types/server-types.js';
export type {
  ToolArguments,
  ToolDefinition,
  ToolOutput,
} from './engine/runtime/definition-types/tool-types.js';
export type {
  ResolveEndpoint,
  UpstreamChoice,
  UpstreamSource,
  UpstreamToolDefinition,
  UpstreamTools,
} from './engine/runtime/definition-types/upstream-types.js';
export { type ExpandedTool, expand, type ToolRegistration } from './engine/runtime/expand-tools.js';
export { type ToolSettings, tool } from './engine/runtime/option-sets.js';
export {
  type Annotations,
  assistant,
  audio,
  type BlockOptions,
  type ContentBlock,
  embedded,
  error,
  image,
  type PromptMessage,
  ProtocolError,
  resourceLink,
  results,
  structured,
  ToolError,
  type ToolResult,
  text,
  user,
} from './engine/runtime/result-builders.js';
export {
  type SearchPromptDefinition,
  type SearchReturn,
  searchPrompt,
} from './engine/runtime/search-prompt.js';
export {
  defineToolkit,
  type ItemOverrides,
  type Toolkit,
  type ToolkitOptions,
  type Used,
  use,
} from './engine/runtime/toolkit.js';
export { type Field, type FieldSpec, type Fields, fields } from './engine/schema/fields.js';
export type { InferFields, InferInput, InferOutput } from './engine/schema/inferred-types.js';
export { jsonSchema, type RawSchema } from './engine/schema/json-schema.js';
