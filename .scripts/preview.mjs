// Builds the pages of `agenttools preview`: the host page, and the frame that holds an app.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const source = 'src/preview-page';

/** Keeps the messages of zod in English: the page shows few, and all languages take half of the script. */
const oneLocale = {
  name: 'one-locale',
  setup: ({ onLoad }) =>
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    })),
};

/** Writes the pages into a folder; gives the files they are made of. */
export async function buildPreview({ root, folder }) {
  const options = {
    absWorkingDir: root,
    bundle: true,
    platform: 'browser',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
    plugins: [oneLocale],
  };
  const [page, frame] = await Promise.all([
    build({ ...options, entryPoints: [`${source}/page.ts`], format: 'esm' }),
    build({ ...options, entryPoints: [`${source}/frame.ts`], format: 'iife' }),
  ]);
  const read = (file) => readFileSync(path.join(root, source, file), 'utf8');
  const script = frame.outputFiles[0].text.replaceAll('</script', '<\\/script');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'page.js'), page.outputFiles[0].text);
  writeFileSync(path.join(folder, 'page.css'), read('page.css'));
  writeFileSync(path.join(folder, 'index.html'), read('index.html'));
  writeFileSync(
    path.join(folder, 'frame.html'),
    read('frame.html').replace('//{{script}}', () => script),
  );
  return [page, frame].flatMap(({ metafile }) => Object.keys(metafile.inputs));
}
