import { appTooLarge } from './app-too-large.js';
import { appWithoutHandshake } from './app-without-handshake.js';
import { blockedByCsp } from './blocked-by-csp.js';
import { bootFailed } from './boot-failed.js';
import { brokenSkillLink } from './broken-skill-link.js';
import { appOnlyExposed } from './compat/app-only-exposed.js';
import { arrayWithoutItems } from './compat/array-without-items.js';
import { descriptionLength } from './compat/description-length.js';
import { enumNonString } from './compat/enum-non-string.js';
import { featureUnsupported } from './compat/feature-unsupported.js';
import { imageContent } from './compat/image-content.js';
import { instructionsLength } from './compat/instructions-length.js';
import { keywordLost } from './compat/keyword-lost.js';
import { listChangedNeeded } from './compat/list-changed-needed.js';
import { nestedUnion } from './compat/nested-union.js';
import { nullInSchema } from './compat/null-in-schema.js';
import { paramNameCharset } from './compat/param-name-charset.js';
import { patternDialect } from './compat/pattern-dialect.js';
import { requiredUnknown } from './compat/required-unknown.js';
import { resultSize } from './compat/result-size.js';
import { rootUnion } from './compat/root-union.js';
import { schemaDepth } from './compat/schema-depth.js';
import { schemaRef } from './compat/schema-ref.js';
import { schemaSize } from './compat/schema-size.js';
import { schemaTuple } from './compat/schema-tuple.js';
import { slowTool } from './compat/slow-tool.js';
import { structuredOnly } from './compat/structured-only.js';
import { tokenBudget } from './compat/token-budget.js';
import { toolCount } from './compat/tool-count.js';
import { toolListRejected } from './compat/tool-list-rejected.js';
import { toolNameCharset } from './compat/tool-name-charset.js';
import { toolNameCollision } from './compat/tool-name-collision.js';
import { toolNameLength } from './compat/tool-name-length.js';
import { toolNameReserved } from './compat/tool-name-reserved.js';
import { typeArray } from './compat/type-array.js';
import { untypedProperty } from './compat/untyped-property.js';
import { conflictingSpelling } from './conflicting-spelling.js';
import { definitionFailed } from './definition-failed.js';
import { deprecatedPromptData } from './deprecated-prompt-data.js';
import { duplicateDeclaration } from './duplicate-declaration.js';
import { duplicateDefinitionFiles } from './duplicate-definition-files.js';
import { duplicateWireName } from './duplicate-wire-name.js';
import { endlessList } from './endless-list.js';
import { impureStdout } from './impure-stdout.js';
import { ineffectiveDefinition } from './ineffective-definition.js';
import { ineffectiveSchema } from './ineffective-schema.js';
import { initializeFailed } from './initialize-failed.js';
import { invalidApp } from './invalid-app.js';
import { invalidAppMetadata } from './invalid-app-metadata.js';
import { invalidDeclaration } from './invalid-declaration.js';
import { invalidDeclarationList } from './invalid-declaration-list.js';
import { invalidDefinition } from './invalid-definition.js';
import { invalidInputSchema } from './invalid-input-schema.js';
import { invalidOutputSchema } from './invalid-output-schema.js';
import { invalidPrompt } from './invalid-prompt.js';
import { invalidResource } from './invalid-resource.js';
import { invalidServer } from './invalid-server.js';
import { invalidSkill } from './invalid-skill.js';
import { invalidTool } from './invalid-tool.js';
import { invalidToolkit } from './invalid-toolkit.js';
import { invalidWireName } from './invalid-wire-name.js';
import { literalSecret } from './literal-secret.js';
import { malformedManifest } from './malformed-manifest.js';
import { missingDefinition } from './missing-definition.js';
import { missingDescription } from './missing-description.js';
import { missingHandler } from './missing-handler.js';
import { missingKeyword } from './missing-keyword.js';
import { missingRoot } from './missing-root.js';
import { missingUpstream } from './missing-upstream.js';
import { moduleFormat } from './module-format.js';
import { noExtension } from './no-extension.js';
import { notChecked } from './not-checked.js';
import { notPacked } from './not-packed.js';
import { pathOutsidePackage } from './path-outside-package.js';
import { releaseVersion } from './release-version.js';
import type { Rule, RuleRow } from './rule.js';
import { sandboxPermission } from './sandbox-permission.js';
import { sessionOnlyVisibility } from './session-only-visibility.js';
import { shadowedDefinition } from './shadowed-definition.js';
import { slowStart } from './slow-start.js';
import { staleDerivation } from './stale-derivation.js';
import { bidiControls } from './text/bidi-controls.js';
import { blankSpace } from './text/blank-space.js';
import { brokenCharacters } from './text/broken-characters.js';
import { concealment } from './text/concealment.js';
import { controlCharacters } from './text/control-characters.js';
import { encodedText } from './text/encoded-text.js';
import { fakeMarkup } from './text/fake-markup.js';
import { greekLookalikes } from './text/greek-lookalikes.js';
import { hiddenBytes } from './text/hidden-bytes.js';
import { htmlComment } from './text/html-comment.js';
import { imageLink } from './text/image-link.js';
import { invisibleCharacters } from './text/invisible-characters.js';
import { lettersAsSymbols } from './text/letters-as-symbols.js';
import { mixedScripts } from './text/mixed-scripts.js';
import { overrideInstructions } from './text/override-instructions.js';
import { privateCharacters } from './text/private-characters.js';
import { secretPaths } from './text/secret-paths.js';
import { straySelectors } from './text/stray-selectors.js';
import { tagCharacters } from './text/tag-characters.js';
import { weakMarks } from './text/weak-marks.js';
import { typescriptOnly } from './typescript-only.js';
import { uncleanExit } from './unclean-exit.js';
import { undeclaredDefinition } from './undeclared-definition.js';
import { undeclaredTemplateArgument } from './undeclared-template-argument.js';
import { unknownApp } from './unknown-app.js';
import { unknownCapability } from './unknown-capability.js';
import { unknownDefinitionKey } from './unknown-definition-key.js';
import { unknownManifestKey } from './unknown-manifest-key.js';
import { unknownPrompt } from './unknown-prompt.js';
import { unknownResource } from './unknown-resource.js';
import { unknownSkill } from './unknown-skill.js';
import { unknownTool } from './unknown-tool.js';
import { unresolvedReference } from './unresolved-reference.js';
import { untruthfulCapabilities } from './untruthful-capabilities.js';
import { unusedSuppression } from './unused-suppression.js';
import { upstreamTools } from './upstream-tools.js';
import { wrongErrorCode } from './wrong-error-code.js';

export type { Rule, RuleRow } from './rule.js';

/** All rules, independent ones before dependent ones. A new rule takes effect by being listed here. */
export const rules: readonly Rule[] = [
  // Structure
  noExtension,
  malformedManifest,
  unknownManifestKey,
  invalidDeclarationList,
  invalidDeclaration,
  duplicateDeclaration,
  conflictingSpelling,
  deprecatedPromptData,
  // Files
  pathOutsidePackage,
  missingRoot,
  missingDefinition,
  duplicateDefinitionFiles,
  undeclaredDefinition,
  shadowedDefinition,
  typescriptOnly,
  // Contents
  invalidDefinition,
  definitionFailed,
  notChecked,
  invalidToolkit,
  invalidTool,
  missingHandler,
  missingUpstream,
  literalSecret,
  sandboxPermission,
  invalidInputSchema,
  invalidOutputSchema,
  ineffectiveSchema,
  invalidPrompt,
  undeclaredTemplateArgument,
  invalidResource,
  invalidServer,
  upstreamTools,
  invalidApp,
  invalidAppMetadata,
  blockedByCsp,
  appTooLarge,
  appWithoutHandshake,
  invalidSkill,
  brokenSkillLink,
  unknownDefinitionKey,
  ineffectiveDefinition,
  unknownCapability,
  missingDescription,
  invalidWireName,
  staleDerivation,
  // Texts for models
  tagCharacters,
  hiddenBytes,
  bidiControls,
  invisibleCharacters,
  controlCharacters,
  brokenCharacters,
  privateCharacters,
  mixedScripts,
  greekLookalikes,
  lettersAsSymbols,
  straySelectors,
  blankSpace,
  weakMarks,
  overrideInstructions,
  concealment,
  imageLink,
  fakeMarkup,
  secretPaths,
  htmlComment,
  encodedText,
  // Cross-references
  unknownTool,
  unknownPrompt,
  unknownResource,
  unknownApp,
  unknownSkill,
  unresolvedReference,
  duplicateWireName,
  // Compatibility
  sessionOnlyVisibility,
  toolListRejected,
  toolNameCharset,
  toolNameLength,
  toolNameReserved,
  toolNameCollision,
  paramNameCharset,
  rootUnion,
  nestedUnion,
  schemaRef,
  schemaSize,
  schemaDepth,
  schemaTuple,
  arrayWithoutItems,
  untypedProperty,
  requiredUnknown,
  typeArray,
  enumNonString,
  keywordLost,
  nullInSchema,
  descriptionLength,
  instructionsLength,
  toolCount,
  tokenBudget,
  appOnlyExposed,
  patternDialect,
  slowTool,
  featureUnsupported,
  listChangedNeeded,
  resultSize,
  structuredOnly,
  imageContent,
  moduleFormat,
  // Packaging
  notPacked,
  missingKeyword,
  unusedSuppression,
  // Running servers
  bootFailed,
  releaseVersion,
  impureStdout,
  slowStart,
  initializeFailed,
  untruthfulCapabilities,
  endlessList,
  wrongErrorCode,
  uncleanExit,
];

/** Every diagnostic code with its severity and summary. */
export const ruleTable: readonly RuleRow[] = rules.map(({ code, severity, summary }) => ({
  code,
  severity,
  summary,
}));
