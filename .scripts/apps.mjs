// Puts src/apps/ into the apps that say so: `<script data-from="bridge.js">` holds that file, minified.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = path.join(root, 'src/apps');

/** Every app of the bundled extensions, of the pages and of the fixtures. */
export function appFiles() {
  return ['src/builtin', 'docs', 'fixtures/extensions'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true })
      .filter((file) => /(?:^|[\\/])apps[\\/][^\\/]+\.html$/.test(file) && !file.includes('node_modules'))
      .map((file) => path.join(root, folder, file)),
  );
}

/** A page with what it takes from src/apps/ as it is now. */
export function inlined(html) {
  return html.replace(
    /(<(script|style) data-from="([\w.-]+)">)[\s\S]*?(<\/\2>)/g,
    (_, start, element, name, end) => `${start}\n${minified(name, element)}${end}`,
  );
}

/**
 * A file of src/apps/ as an element holds it. What a script exports are names of the page, which the scripts after it
 * import by standing in the same page; all else stays its own.
 */
export function minified(name, element = 'script') {
  const text = readFileSync(path.join(source, name), 'utf8');
  const { code } = transformSync(element === 'style' ? text : scriptOf(text), {
    loader: element === 'style' ? 'css' : 'js',
    minify: true,
    target: 'es2020',
    charset: 'utf8',
  });
  if (/<\/(script|style)|<!--/i.test(code)) throw new Error(`${name} would end the element it stands in.`);
  return code;
}

function scriptOf(module) {
  const names = [...module.matchAll(/^export (?:async )?(?:function|const) (\w+)/gm)].map(([, name]) => name);
  const body = module.replace(/^import .*$/gm, '').replace(/^export /gm, '');
  return `const {${names}}=(()=>{${body}\nreturn{${names}}})();`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const file of appFiles()) {
    const html = readFileSync(file, 'utf8');
    const current = inlined(html);
    if (current !== html) writeFileSync(file, current);
  }
}
