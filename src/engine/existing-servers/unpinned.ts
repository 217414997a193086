/** True for an image with a digest, or a tag other than `latest`. */
export function isPinnedImage(image: string): boolean {
  return /@sha256:|:(?!latest$)[^/]+$/.test(image);
}

/** Note on an image without a version. */
export function unpinnedImage(image: string): string {
  return unpinned(image, `docker:${image.replace(/:latest$/, '')}:1.2.3`);
}

/** Note on a server without a version. */
export function unpinned(name: string, example: string): string {
  return `${name} has no version here, so each start may run another one. Name a version, such as ${example}.`;
}
