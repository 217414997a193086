import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { limitSubjects } from '../../../src/engine/compatibility/client-limits.js';
import { estimate } from '../../../src/engine/compatibility/token-cost.js';
import { rules, ruleTable } from '../../../src/engine/validate/rules/index.js';
import { diagnose } from '../../../src/engine/validate/validate.js';
import { fixtures, optionsFor, told } from './support/validating.js';

/** What each fixture is expected to hold, in the order of the rules. A new rule adds a fixture and a line here. */
const expected: Record<string, readonly string[]> = {
  'app-too-large': ['app-too-large agenttools/apps/card.html'],
  'app-without-handshake': [
    'app-without-handshake agenttools/apps/card.html',
    'app-without-handshake agenttools/apps/board.html',
  ],
  'blocked-by-csp': [
    'blocked-by-csp agenttools/apps/map.html:5:7',
    'blocked-by-csp agenttools/apps/map.html:9:3',
    'blocked-by-csp agenttools/apps/map.html:11:22',
    'blocked-by-csp agenttools/apps/map.html:13:9',
    'blocked-by-csp agenttools/apps/map.html:14:6',
    'blocked-by-csp agenttools/apps/map.html:14:93',
    'blocked-by-csp agenttools/apps/map.html:15:8',
    'blocked-by-csp agenttools/apps/map.html:15:62',
    'blocked-by-csp agenttools/apps/map.html:16:9',
    'blocked-by-csp agenttools/apps/map.html:18:7',
    'blocked-by-csp agenttools/apps/map.html:19:9',
    'blocked-by-csp agenttools/apps/card.html:5:6',
    'blocked-by-csp agenttools/apps/card.html:7:25',
    'blocked-by-csp agenttools/apps/card.html:10:17',
    'blocked-by-csp agenttools/apps/card.html:13:19',
    'blocked-by-csp agenttools/apps/card.html:14:21',
    'blocked-by-csp agenttools/apps/card.html:16:26',
    'blocked-by-csp agenttools/apps/card.html:17:18',
    'blocked-by-csp agenttools/apps/card.html:18:26',
    'blocked-by-csp agenttools/apps/card.html:20:17',
    'blocked-by-csp agenttools/apps/card.html:26:9',
    'blocked-by-csp agenttools/apps/board.html:6:18',
    'blocked-by-csp agenttools/apps/board.html:7:17',
    'blocked-by-csp agenttools/apps/board.html:8:3',
  ],
  'boot-failed': [],
  'broken-skill-link': [
    'broken-skill-link skills/tea/SKILL.md:6:59',
    'broken-skill-link skills/tea/SKILL.md:7:23',
    'broken-skill-link skills/tea/SKILL.md:9:11',
    'broken-skill-link skills/tea/SKILL.md:17:9',
  ],
  'compat/app-only-exposed': ['compat/app-only-exposed agenttools/tools/find.json#/ui/visibility'],
  'compat/array-without-items': [
    'compat/array-without-items agenttools/tools/find.json#/inputSchema/properties/due',
  ],
  'compat/description-length': ['compat/description-length agenttools/tools/find.json#/description'],
  'compat/enum-non-string': [
    'compat/enum-non-string agenttools/tools/find.json#/inputSchema/properties/due/enum',
  ],
  'compat/instructions-length': ['compat/instructions-length agenttools/servers/desk.json#/instructions'],
  'compat/keyword-lost': [
    'compat/keyword-lost agenttools/tools/find.json#/inputSchema/properties/due/maximum',
  ],
  'compat/nested-union': ['compat/nested-union agenttools/tools/find.json#/inputSchema/properties/due/anyOf'],
  'compat/null-in-schema': [
    'compat/enum-non-string agenttools/tools/find.json#/inputSchema/properties/due/enum',
    'compat/null-in-schema agenttools/tools/find.json#/inputSchema/properties/due/enum',
  ],
  'compat/param-name-charset': [
    'compat/param-name-charset agenttools/tools/find.json#/inputSchema/properties/due-date!',
  ],
  'compat/root-union': ['compat/root-union agenttools/tools/find.json#/inputSchema/anyOf'],
  'compat/schema-depth': [
    'compat/schema-size agenttools/tools/find.json#/inputSchema',
    'compat/schema-depth agenttools/tools/find.json#/inputSchema',
  ],
  'compat/schema-ref': ['compat/schema-ref agenttools/tools/find.json#/inputSchema/properties/due/$ref'],
  'compat/schema-size': ['compat/schema-size agenttools/tools/find.json#/inputSchema'],
  'compat/schema-tuple': [
    'compat/schema-tuple agenttools/tools/find.json#/inputSchema/properties/due/prefixItems',
  ],
  'compat/token-budget': [
    'compat/description-length agenttools/tools/find.json#/description',
    'compat/token-budget agenttools/tools/find.json#/name',
  ],
  'compat/tool-count': ['compat/tool-count agenttools/tools.json#/find_0/name'],
  'compat/tool-list-rejected': [
    'compat/tool-list-rejected agenttools/tools/find.json#/inputSchema/properties/due',
  ],
  'compat/tool-name-charset': ['compat/tool-name-charset agenttools/tools/find.json#/name'],
  'compat/tool-name-collision': ['compat/tool-name-collision agenttools/tools/search.json#/name'],
  'compat/tool-name-length': ['compat/tool-name-length agenttools/tools/find.json#/name'],
  'compat/tool-name-reserved': ['compat/tool-name-reserved agenttools/tools/find.json#/name'],
  'compat/feature-unsupported': [
    'compat/feature-unsupported agenttools/tools/find.json#/requires',
    'compat/feature-unsupported agenttools/tools/drop.json#/confirm',
    'compat/feature-unsupported agenttools/tools/sort.json#/task',
  ],
  'compat/image-content': [],
  'compat/list-changed-needed': ['compat/list-changed-needed agenttools/servers/desk.json#/list/tools'],
  'compat/pattern-dialect': [
    'compat/pattern-dialect agenttools/tools/find.json#/inputSchema/properties/mail/pattern',
  ],
  'compat/result-size': [],
  'compat/slow-tool': ['compat/slow-tool agenttools/tools/find.json#/timeoutMs'],
  'compat/structured-only': [],
  'compat/type-array': ['compat/type-array agenttools/tools/find.json#/inputSchema/properties/due/type'],
  'compat/required-unknown': [
    'compat/nested-union agenttools/tools/find.json#/inputSchema/properties/range/allOf',
    'compat/required-unknown agenttools/tools/find.json#/inputSchema/properties/range/required',
  ],
  'compat/untyped-property': [
    'compat/untyped-property agenttools/tools/find.json#/inputSchema/properties/due',
  ],
  'conflicting-spelling': [
    'conflicting-spelling package.json#/agenttools/MCPServers',
    'conflicting-spelling agenttools/tools/hello.json#/Function',
  ],
  'definition-failed': [
    'definition-failed agenttools/tools/hello.js:3:7',
    'definition-failed agenttools/tools/bye.js:2:31',
    'definition-failed agenttools/tools/ask.cjs',
    'definition-failed agenttools/tools/tell.json#/handler',
  ],
  'definition-failed-toolkits': [
    'definition-failed agenttools/tools/no-function.js:4:3',
    'definition-failed agenttools/tools/three-parameters.js:4:3',
    'definition-failed agenttools/tools/same-name.js:5:16',
    'definition-failed agenttools/tools/annotation.js:4:3',
    'definition-failed agenttools/tools/anonymous.js:4:3',
    'definition-failed agenttools/tools/option-set.js:4:3',
    'definition-failed agenttools/tools/wire-name.js:4:3',
    'definition-failed agenttools/tools/no-list.js:3:16',
    'invalid-input-schema agenttools/tools/json-text.js#/0/input',
    'invalid-input-schema agenttools/tools/field-spec.js#/tools/0/input/colour/values',
    'missing-description agenttools/tools/field-spec.js#/tools/0',
  ],
  'deprecated-prompt-data': ['deprecated-prompt-data agenttools/servers/greeter.json#/promptData'],
  'duplicate-declaration': ['duplicate-declaration package.json#/agenttools/tools/1'],
  'duplicate-definition-files': [
    'duplicate-definition-files agenttools/tools/hello.jsonc',
    'duplicate-definition-files agenttools/prompts.jsonc',
  ],
  'duplicate-wire-name': ['duplicate-wire-name agenttools/servers/greeter.json#/tools/1'],
  'impure-stdout': [],
  'initialize-failed': [],
  'ineffective-definition': [
    'ineffective-definition agenttools/tools/hello.json#/taskBegins',
    'ineffective-definition agenttools/tools/hello.json#/options/tone/defualt',
    'ineffective-definition agenttools/prompts/greet.json#/content',
    'ineffective-definition agenttools/prompts/ask.json#/content',
    'ineffective-definition agenttools/prompts/tell.json#/arguments/1/name',
    'ineffective-definition agenttools/prompts/wave.json#/arguments/0/name',
    'ineffective-definition agenttools/resources/names.json#/list',
    'ineffective-definition agenttools/resources/names.json#/complete',
  ],
  'ineffective-schema': [
    'ineffective-schema agenttools/tools/hello.json#/input/name/default',
    'ineffective-schema agenttools/tools/bye.json#/input',
    'ineffective-schema agenttools/tools/bye.json#/output',
    'ineffective-schema agenttools/tools/wave.js#/input/times/default',
    'ineffective-schema agenttools/tools/ask.json#/inputSchema/properties/address/requried',
    'ineffective-schema agenttools/tools/ask.json#/inputSchema/properties/address/format',
    'ineffective-schema agenttools/tools/ask.json#/inputSchema/properties/times/default',
    'ineffective-schema agenttools/tools/ask.json#/inputSchema/properties/where/required/1',
    'ineffective-schema agenttools/tools/tell.json#/input/fields',
    'ineffective-schema agenttools/tools/tell.json#/outputSchema',
    'ineffective-schema agenttools/tools/say.json#/input/name',
    'ineffective-schema agenttools/tools/sing.json#/input/site/format',
  ],
  'invalid-app': [
    'invalid-app agenttools/apps/card.html',
    'invalid-app agenttools/apps/board.html',
    'invalid-app agenttools/apps/sheet.html',
    'invalid-app agenttools/apps/map.html:6:17',
  ],
  'invalid-app-metadata': [
    'invalid-app-metadata agenttools/apps/board.json#/prefersBorder',
    'invalid-app-metadata agenttools/apps/map.json#/csp/frameDomains',
    'invalid-app-metadata agenttools/apps/map.json#/permissions/camera',
    'invalid-app-metadata agenttools/apps/card.json',
    'invalid-app-metadata agenttools/apps/sheet.json:1:13',
    'invalid-app-metadata agenttools/apps/map.json#/preferBorder',
    'invalid-app-metadata agenttools/apps/map.json#/csp/connectDomain',
    'invalid-app-metadata agenttools/apps/map.json#/permissions/midi',
    'invalid-app-metadata agenttools/apps/map.json#/csp/resourceDomains/1',
    'invalid-app-metadata agenttools/apps/map.json#/csp/resourceDomains/2',
    'invalid-app-metadata agenttools/apps/chart.json#/csp',
  ],
  'invalid-declaration': [
    'invalid-declaration package.json#/agenttools/tools/1',
    'invalid-declaration package.json#/agenttools/tools/2',
    'invalid-declaration package.json#/agenttools/tools/3',
    'invalid-declaration package.json#/agenttools/tools/4/name',
    'invalid-declaration package.json#/agenttools/tools/5',
    'invalid-declaration package.json#/agenttools/tools/6/1',
    'invalid-declaration package.json#/agenttools/tools/7/description',
    'invalid-declaration package.json#/agenttools/tools/8/module',
  ],
  'invalid-declaration-list': ['invalid-declaration-list package.json#/agenttools/tools'],
  'invalid-definition': [
    'invalid-definition agenttools/tools/hello.json',
    'invalid-definition agenttools/tools/bye.js',
    'invalid-definition agenttools/prompts.json:3:3',
  ],
  'invalid-definition-depth': ['invalid-definition agenttools/tools/hello.json:2:510'],
  'invalid-input-schema': [
    'invalid-input-schema agenttools/tools/hello.json#/inputSchema/properties/name/type',
    'invalid-input-schema agenttools/tools/bye.json#/input/name/min',
    'invalid-input-schema agenttools/tools/ask.json#/Parameters/name/Interpreter',
  ],
  'invalid-output-schema': [
    'invalid-output-schema agenttools/tools/hello.json#/outputSchema/properties/name/$ref',
  ],
  'invalid-prompt': [
    'invalid-prompt agenttools/prompts/greet.json#/content',
    'invalid-prompt agenttools/prompts/ask.json#/type',
    'invalid-prompt agenttools/prompts/tell.json#/arguments/0/name',
    'invalid-prompt agenttools/prompts/tell.json#/arguments/2/name',
  ],
  'invalid-resource': [
    'invalid-resource agenttools/resources/names.json#/uri',
    'invalid-resource agenttools/resources/names.json#/text',
    'invalid-resource agenttools/resources/pages.json#/uriTemplate',
    'invalid-resource agenttools/resources/books.json#/complete/book',
    'invalid-resource agenttools/resources/gone.json#/file',
    'invalid-resource agenttools/servers/greeter.json#/resources/1',
    'unknown-definition-key agenttools/resources/books.json#/complete/page',
  ],
  'invalid-server': [
    'invalid-server agenttools/servers/greeter.json#/version',
    'invalid-server agenttools/servers/greeter.json#/transport',
    'invalid-server agenttools/servers/greeter.json#/tools/1',
    'invalid-server agenttools/servers/other.json#/configKey',
    'invalid-server agenttools/servers/other.json#/tools',
    'invalid-server agenttools/servers/third.json#/configKey',
    'invalid-server agenttools/servers/third.json#/LLMEvaluator',
    'invalid-server agenttools/servers/greeter.json#/tools/2/handler',
  ],
  'invalid-server-parameters': [
    'invalid-server agenttools/servers/greeter.json#/tools/0/parameters/nmae',
    'invalid-server agenttools/servers/greeter.json#/tools/0/parameters/name/hidden',
    'invalid-server agenttools/servers/greeter.json#/tools/0/parameters/tone/enum/1',
    'invalid-server agenttools/servers/greeter.json#/tools/0/parameters/tone/enum',
    'invalid-server agenttools/servers/greeter.json#/tools/0/parameters/times/name',
    'invalid-server agenttools/servers/greeter.json#/tools/1/parameters/times/descripton',
    'invalid-server agenttools/servers/greeter.json#/tools/1/parameters/tone',
    'invalid-server agenttools/servers/greeter.json#/tools/2/parameters/hand',
  ],
  'invalid-server-upstreams': [
    'invalid-tool agenttools/tools/hello.json#/upstream',
    'invalid-tool agenttools/tools/hello.json#/upstream/headers',
    'invalid-tool agenttools/servers/desk.json#/tools/8/upstream/command',
    'invalid-server agenttools/servers/desk.json#/tools/0/upstream/url',
    'invalid-server agenttools/servers/desk.json#/tools/1/upstream/command',
    'invalid-server agenttools/servers/desk.json#/tools/2/upstream/args',
    'invalid-server agenttools/servers/desk.json#/tools/3/upstream/url',
    'invalid-server agenttools/servers/desk.json#/tools/4/upstream/enviroment',
    'invalid-server agenttools/servers/desk.json#/tools/4/upstream/type',
    'invalid-server agenttools/servers/desk.json#/tools/5/upstream/env/A',
    'invalid-server agenttools/servers/desk.json#/tools/6/exept',
    'invalid-server agenttools/servers/desk.json#/tools/6/prefix',
    'invalid-server agenttools/servers/desk.json#/tools/6/rename/a',
    'invalid-server agenttools/servers/desk.json#/tools/7/use',
  ],
  'invalid-skill': [
    'invalid-skill skills/Ice_Tea/SKILL.md:3:1',
    'invalid-skill skills/cocoa/SKILL.md:3:1',
    'invalid-skill skills/coffee/SKILL.md:1:1',
    'invalid-skill skills/mate/SKILL.md:2:1',
    'invalid-skill skills/milk/SKILL.md:1:1',
    'invalid-skill skills/water/SKILL.md:3:1',
    'invalid-skill skills/juice/skill.md',
  ],
  'invalid-tool': [
    'invalid-tool agenttools/tools/hello.json#/title',
    'invalid-tool agenttools/tools/hello.json#/annotations/readOnlyHint',
    'invalid-tool agenttools/tools/hello.json#/timeoutMs',
    'invalid-tool agenttools/tools/hello.json#/onOutputMismatch',
  ],
  'invalid-toolkit': [
    'invalid-definition agenttools/tools/word.js',
    'invalid-toolkit agenttools/tools/notes.json#/category',
    'invalid-toolkit agenttools/tools/notes.json#/tools/2',
    'invalid-toolkit agenttools/tools/notes.json#/tools/3',
    'invalid-toolkit agenttools/tools/notes.json#/tools/4',
    'invalid-toolkit agenttools/tools/marks.js#/1',
    'invalid-toolkit agenttools/servers/desk.json#/tools/3/tools/1',
    'missing-handler agenttools/tools/sum.js#/tools/0/handler',
    'missing-handler agenttools/tools/sum.js#/tools/1/handler',
    'invalid-input-schema agenttools/tools/sum.js#/tools/2/input',
    'invalid-server agenttools/servers/desk.json#/tools/1/name',
    'unknown-definition-key agenttools/tools/notes.json#/hiden',
    'unknown-definition-key agenttools/tools/sum.js#/tools/3/annotations/readonly',
    'unknown-tool agenttools/servers/desk.json#/tools/2/toolkit',
  ],
  'invalid-wire-name': [
    'invalid-wire-name agenttools/tools/hello.json#/name',
    'invalid-wire-name agenttools/prompts/greet.json#/name',
    'invalid-wire-name agenttools/servers/greeter.json#/tools/0/name',
  ],
  'literal-secret': [
    'literal-secret agenttools/servers/desk.json#/tools/1/upstream/args/3',
    'literal-secret agenttools/servers/desk.json#/tools/1/upstream/args/5',
    'literal-secret agenttools/servers/desk.json#/tools/1/upstream/env/DESK_TOKEN',
    'literal-secret agenttools/servers/desk.json#/tools/1/upstream/env/THIRD_TOKEN',
    'literal-secret agenttools/servers/desk.json#/tools/2/upstream/url',
    'literal-secret agenttools/servers/desk.json#/tools/2/upstream/headers/Authorization',
    'literal-secret agenttools/tools/hello.json#/upstream/env/HELLO_SECRET',
  ],
  'malformed-manifest': ['malformed-manifest agenttools.json:2:21'],
  'malformed-manifest-values': [
    'malformed-manifest package.json#/agenttools/root',
    'malformed-manifest package.json#/agenttools/rules/missing-keyword',
  ],
  'missing-definition': [
    'missing-definition package.json#/agenttools/tools/1',
    'missing-definition package.json#/agenttools/prompts/0',
    'missing-definition package.json#/agenttools/apps/0',
  ],
  'missing-description': [
    'missing-description agenttools/tools/hello.json',
    'missing-description agenttools/prompts/greet.json#/description',
    'missing-description agenttools/resources/notes.json',
  ],
  'missing-handler': [
    'missing-handler agenttools/tools/hello.json#/handler',
    'missing-handler agenttools/tools/bye.json#/handler',
    'missing-handler agenttools/tools/ask.json#/handler',
    'missing-handler agenttools/tools/tell.json#/handler',
    'missing-handler agenttools/tools/say.json#/initialize',
    'missing-handler agenttools/resources/names.json#/complete/name',
  ],
  'missing-keyword': ['missing-keyword package.json#/keywords'],
  'missing-root': ['missing-root package.json#/agenttools/root'],
  'missing-upstream': [
    'missing-upstream agenttools/servers/desk.json#/tools/1/upstream/command',
    'missing-upstream agenttools/servers/desk.json#/tools/2/upstream/package',
    'missing-upstream agenttools/servers/desk.json#/tools/3/upstream/package',
    'missing-upstream agenttools/servers/desk.json#/tools/4/upstream/cwd',
    'missing-upstream agenttools/servers/desk.json#/tools/7/upstream/args/1',
    'missing-upstream agenttools/tools/hello.json#/upstream/command',
    'missing-upstream agenttools/tools/bye.json#/upstream/place',
    'missing-upstream agenttools/tools/ask.json#/upstream',
  ],
  'module-format': ['module-format agenttools/tools/hello.js:1:1', 'module-format hello.mjs'],
  'no-extension': ['no-extension package.json'],
  'not-checked': ['not-checked agenttools/tools/hello.js', 'not-checked agenttools/tools.js'],
  'not-checked-toolkits': ['not-checked agenttools/tools/files.js', 'not-checked agenttools/tools/more.js'],
  'not-packed': [
    'not-packed package.json#/files',
    'not-packed package.json#/files',
    'not-packed package.json#/files',
    'not-packed package.json#/files',
  ],
  'not-packed-ignored': ['not-packed agenttools/tools/hello.json#/handler'],
  'not-packed-private': [],
  'path-outside-package': [
    'path-outside-package agenttools/tools/hello.json#/handler',
    'path-outside-package agenttools/tools/bye.json#/handler',
    'path-outside-package agenttools/resources/notes.json#/file',
  ],
  'path-outside-package-manifest': ['path-outside-package package.json#/agenttools'],
  'path-outside-package-root': ['path-outside-package package.json#/agenttools/root'],
  'release-version': [],
  'sandbox-permission': [
    ...Array(6).fill('sandbox-permission agenttools/servers/desk.json#/sandbox'),
    'invalid-server package.json#/agenttools/servers/2/sandbox/files/delete',
    'invalid-server package.json#/agenttools/servers/2/sandbox/network/0',
  ],
  'session-only-visibility': [
    'session-only-visibility agenttools/servers/vault.json#/list/tools',
    'session-only-visibility agenttools/servers/hall.js#/list/tools',
    'compat/list-changed-needed agenttools/servers/vault.json#/list/tools',
    'compat/list-changed-needed agenttools/servers/hall.js#/list/tools',
  ],
  'shadowed-definition': ['shadowed-definition agenttools/tools.json#/hello'],
  'slow-start': [],
  'stale-derivation': [
    'stale-derivation agenttools/derived.json#/files/src/shapes.js',
    'stale-derivation agenttools/tools/volume.json#/handler',
  ],
  'toolkit-declarations': [
    'invalid-declaration package.json#/agenttools/tools/4/toolkit',
    'invalid-declaration package.json#/agenttools/tools/5/tools',
    'invalid-declaration package.json#/agenttools/tools/6/name',
    'invalid-declaration package.json#/agenttools/tools/7/tools/0',
    'duplicate-declaration package.json#/agenttools/tools/2',
    'duplicate-declaration package.json#/agenttools/tools/3',
    'duplicate-declaration agenttools/tools/more.json#/0',
    'missing-definition package.json#/agenttools/tools/0/tools/1',
    'undeclared-definition agenttools/tools/files.js',
    'undeclared-definition agenttools/tools/nested.js',
  ],
  'text/bidi-controls': ['text/bidi-controls agenttools/tools/add.json#/description'],
  'text/blank-space': ['text/blank-space agenttools/tools/add.json#/description'],
  'text/broken-characters': ['text/broken-characters agenttools/tools/add.json#/description'],
  'text/concealment': ['text/concealment agenttools/tools/add.json#/description'],
  'text/control-characters': ['text/control-characters agenttools/tools/add.json#/description'],
  'text/encoded-text': ['text/encoded-text agenttools/tools/add.json#/description'],
  'text/fake-markup': ['text/fake-markup agenttools/tools/add.json#/description'],
  'text/greek-lookalikes': ['text/greek-lookalikes agenttools/tools/add.json#/description'],
  'text/hidden-bytes': ['text/hidden-bytes agenttools/tools/add.json#/description'],
  'text/html-comment': ['text/html-comment agenttools/tools/add.json#/description'],
  'text/image-link': ['text/image-link agenttools/tools/add.json#/description'],
  'text/invisible-characters': ['text/invisible-characters agenttools/tools/add.json#/description'],
  'text/letters-as-symbols': ['text/letters-as-symbols agenttools/tools/add.json#/description'],
  'text/mixed-scripts': ['text/mixed-scripts agenttools/tools/add.json#/description'],
  'text/override-instructions': ['text/override-instructions agenttools/tools/add.json#/description'],
  'text/private-characters': ['text/private-characters agenttools/tools/add.json#/description'],
  'text/secret-paths': ['text/secret-paths agenttools/tools/add.json#/description'],
  'text/stray-selectors': ['text/stray-selectors agenttools/tools/add.json#/description'],
  'text/tag-characters': ['text/tag-characters agenttools/tools/add.json#/description'],
  'text/weak-marks': ['text/weak-marks agenttools/tools/add.json#/description'],
  'typescript-only': [
    'typescript-only agenttools/tools/hello.ts',
    'typescript-only agenttools/tools/bye.json#/handler',
  ],
  'undeclared-definition': [
    'undeclared-definition agenttools/tools/bye.json',
    'undeclared-definition agenttools/prompts.json#/greet',
  ],
  'undeclared-template-argument': [
    'undeclared-template-argument agenttools/prompts/greet.json#/content/template',
    'undeclared-template-argument agenttools/prompts/ask.json#/messages/1/content/template',
  ],
  'unknown-app': [
    'unknown-app agenttools/servers/greeter.json#/tools/2/ui/app',
    'unknown-app agenttools/servers/greeter.json#/apps/1',
    'unknown-app agenttools/tools/hello.json#/ui',
    'unknown-app agenttools/tools/bye.json#/ui/app',
  ],
  'unknown-capability': [
    'unknown-capability agenttools/tools/hello.json#/requires/1',
    'unknown-capability agenttools/prompts/greet.json#/requires/client/0',
  ],
  'unknown-definition-key': [
    'unknown-definition-key agenttools/tools/hello.json#/descripton',
    'unknown-definition-key agenttools/tools/hello.json#/annotations/readonlyHint',
  ],
  'unknown-manifest-key': [
    'unknown-manifest-key package.json#/agenttools/tool',
    'unknown-manifest-key package.json#/agenttools/rules/missing-keywords',
  ],
  'unknown-prompt': ['unknown-prompt agenttools/servers/greeter.json#/LLMEvaluator/MCPPrompts/1'],
  'unknown-resource': ['unknown-resource agenttools/servers/greeter.json#/resources/1'],
  'unknown-skill': [
    'unknown-skill agenttools/servers/greeter.json#/skills/1',
    'unknown-skill agenttools/servers/greeter.json#/skills/2',
  ],
  'unknown-tool': [
    'unknown-tool agenttools/servers/greeter.json#/tools/1',
    'unknown-tool agenttools/servers/greeter.json#/tools/2/use',
    'unknown-tool agenttools/servers/greeter.json#/tools/3',
    'unknown-tool agenttools/tools/hello.json#/requires/tools',
  ],
  'unresolved-reference': [
    'unresolved-reference agenttools/servers/greeter.json#/tools/0',
    'unresolved-reference agenttools/servers/greeter.json#/prompts/0',
  ],
  'unused-suppression': ['unused-suppression package.json#/agenttools/rules/2'],
  'upstream-tools': [
    'upstream-tools agenttools/servers/desk.json#/tools/0/except/0',
    'upstream-tools agenttools/servers/desk.json#/tools/0/except/1',
    'upstream-tools agenttools/servers/desk.json#/tools/0/rename/write',
    'upstream-tools agenttools/servers/desk.json#/tools/0/rename/erase',
    'upstream-tools agenttools/servers/desk.json#/tools/0/rename/copy',
    'upstream-tools agenttools/servers/desk.json#/tools/0/only/3',
    'upstream-tools agenttools/servers/desk.json#/tools/1/only',
    'upstream-tools agenttools/servers/desk.json#/tools/2/rename/b',
    'upstream-tools agenttools/servers/desk.json#/tools/4/prompts/only',
    'upstream-tools agenttools/servers/desk.json#/tools/4/resources/except/0',
  ],
  valid: [],
  'valid-code': [],
  'valid-seed-spelling': [],
  'valid-toolkit': [],
  'valid-upstream': [],
  weather: [],
  'weather-app': [],
};

const everyClient = new Set(limitSubjects.map(({ id }) => id));

const budgets = new Map([['compat/token-budget', { counter: estimate }]]);

/** Fixtures that are looked at without running their code. */
const withoutLoading = new Set(['not-checked', 'not-checked-toolkits']);

/**
 * Found by starting the servers of the fixture, by asking a registry, or by a call of its tool
 * (`test/cli/call-findings.test.ts`), only.
 */
const foundByRunning = new Set([
  ...['boot-failed', 'impure-stdout', 'initialize-failed', 'release-version', 'slow-start'],
  ...['compat/result-size', 'compat/structured-only', 'compat/image-content'],
]);

/** Found by checking existing servers only. */
const foundOnServers = new Set([
  'endless-list',
  'unclean-exit',
  'untruthful-capabilities',
  'wrong-error-code',
]);

describe('each fixture holds exactly', () => {
  test.for(Object.entries(expected))('%s: %o', async ([name, diagnostics]) => {
    const clients = name.startsWith('compat/') ? everyClient : undefined;
    const options = optionsFor({ load: !withoutLoading.has(name), clients, budget: budgets.get(name) });
    const found = await diagnose(fixtures + name, options);
    expect(found.diagnostics.map(told)).toEqual(diagnostics);
    for (const { message } of found.diagnostics) {
      expect(message).toMatch(/^["A-Za-z].*[.?}\]a-z_"-]$/);
      expect(message).not.toMatch(/undefined\b(?!_)|\[object|\.\.$/);
    }
  });
});

test('a dependency that is only not installed here is no error', async () => {
  const { diagnostics } = await diagnose(`${fixtures}missing-upstream`, optionsFor());
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning');
  expect(warnings.map(told)).toEqual([
    'missing-upstream agenttools/servers/desk.json#/tools/2/upstream/package',
  ]);
});

describe.for(rules.map(({ code }) => code))('%s', (code) => {
  test('has a fixture that shows it, unless only existing servers can show it', async () => {
    expect(Object.keys(expected).includes(code)).toBe(!foundOnServers.has(code));
    if (foundOnServers.has(code)) return;
    const shows = expected[code]!.some((line) => line.startsWith(`${code} `));
    expect(shows || foundByRunning.has(code)).toBe(true);
  });

  test('has a page with its code as title and the sections of every rule page', async () => {
    const page = await readFile(new URL(`../../../docs/rules/${code}.md`, import.meta.url), 'utf8');
    expect(page.split('\n')[0]).toBe(`# ${code}`);
    expect(page.match(/^## .*$/gm)).toEqual([
      '## Wrong example',
      '## Right example',
      '## How to fix it',
      '## Exceptions',
    ]);
  });

  test('has a file and a fixture of its name, and a summary of one sentence', async () => {
    const files = await readdir(new URL('../../../src/engine/validate/rules', import.meta.url), {
      recursive: true,
    });
    expect(files).toContain(`${code}.ts`);
    expect(ruleTable.find((row) => row.code === code)?.summary).toMatch(/^[A-Z].*\.$/);
  });
});

test('no page is left over, and no rule out of the table', async () => {
  const pages = await readdir(new URL('../../../docs/rules', import.meta.url), { recursive: true });
  const files = await readdir(new URL('../../../src/engine/validate/rules', import.meta.url), {
    recursive: true,
  });
  const codes = ruleTable.map(({ code }) => code);
  expect(pages.filter((page) => page.endsWith('.md')).sort()).toEqual(
    codes.map((code) => `${code}.md`).sort(),
  );
  expect(
    files.filter((file) => file.endsWith('.ts') && !/(?:^|[/-])(?:index|rule)\.ts$/.test(file)).sort(),
  ).toEqual(codes.map((code) => `${code}.ts`).sort());
});
