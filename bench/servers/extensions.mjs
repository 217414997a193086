import { jsonSchemaOf } from '../tools.mjs';

/** An extension whose definitions are data: listed without loading any of its code. */
export function dataExtension(tools) {
  const definitions = tools.map((tool) => {
    const { title, description } = tool;
    const definition = { title, description, ...schemaOf(tool), handler: `./handlers.mjs#${tool.name}` };
    return [`agenttools/tools/${tool.name}.json`, JSON.stringify(definition, null, 2)];
  });
  return { 'package.json': manifest('bench-data', tools), ...Object.fromEntries(definitions) };
}

/** An extension whose definitions are code that uses the authoring API. */
export function codeExtension(tools) {
  const definitions = tools.map((tool) => [`agenttools/tools/${tool.name}.js`, codeDefinition(tool)]);
  return { 'package.json': manifest('bench-code', tools), ...Object.fromEntries(definitions) };
}

const codeDefinition = (tool) => `import { defineTool } from 'agenttools';
import { ${tool.name} } from '../../handlers.mjs';

export default defineTool(${JSON.stringify({ title: tool.title, description: tool.description, ...schemaOf(tool) }, null, 2).slice(0, -2)},
  "handler": (args) => ${tool.name}(args)
});
`;

function schemaOf(tool) {
  return tool.raw ? { inputSchema: jsonSchemaOf(tool) } : { input: tool.input };
}

function manifest(name, tools) {
  const names = tools.map((tool) => tool.name);
  return JSON.stringify(
    { name, version: '1.0.0', private: true, type: 'module', agenttools: { tools: names } },
    null,
    2,
  );
}
