import { isRecord } from '../base/value-checks.js';

/**
 * The files that `npm publish` would ship, relative to the package folder, with `/`. Runs no script of the
 * package, so files that only its scripts generate are missing.
 */
export async function listPackedFiles(
  directory: string,
  packageJson: Readonly<Record<string, unknown>>,
): Promise<ReadonlySet<string>> {
  const { default: packlist } = await import('npm-packlist');
  const files = await packlist({
    path: directory,
    package: packingFields(packageJson),
    isProjectRoot: true,
    edgesOut: new Map(),
  });
  return new Set(files);
}

/** The fields that decide about packing, normalized as npm does. */
function packingFields({ name, files, main, browser, bin }: Readonly<Record<string, unknown>>) {
  const bins = typeof bin === 'string' ? { [String(name)]: bin } : isRecord(bin) ? bin : {};
  return {
    ...(Array.isArray(files) && { files: files.filter(isFilledText) }),
    ...(isFilledText(main) && { main: withoutDot(main) }),
    ...(isFilledText(browser) && { browser: withoutDot(browser) }),
    bin: Object.fromEntries(
      Object.entries(bins).flatMap(([key, file]) => (isFilledText(file) ? [[key, withoutDot(file)]] : [])),
    ),
  };
}

function isFilledText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function withoutDot(file: string): string {
  return file.replace(/^\.?\//, '');
}
