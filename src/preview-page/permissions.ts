/** The features of a browser behind the permissions of an app. */
const features: Readonly<Record<string, string>> = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
};

/** The `allow` of a frame whose app has been granted these permissions. */
export function buildAllow(permissions: object = {}): string {
  return Object.keys(permissions)
    .flatMap((name) => features[name] ?? [])
    .join('; ');
}
