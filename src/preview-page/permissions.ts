/** The browser features behind the permissions of an app. */
const features: Readonly<Record<string, string>> = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
};

/** The `allow` attribute for a frame of an app with these permissions. */
export function buildAllow(permissions: object = {}): string {
  return Object.keys(permissions)
    .flatMap((name) => features[name] ?? [])
    .join('; ');
}
