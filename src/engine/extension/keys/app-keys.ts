import type { DefinitionShape } from '../key-shape.js';

const cspShape: DefinitionShape = {
  connectDomains: {
    types: ['string-list'],
    description: 'Origins of requests: `fetch`, `WebSocket` and similar.',
  },
  resourceDomains: {
    types: ['string-list'],
    description: 'Origins of images, scripts, styles, fonts and media.',
  },
  frameDomains: { types: ['string-list'], description: 'Origins of frames in the app.' },
  baseUriDomains: { types: ['string-list'], description: 'Origins of `<base href>`.' },
};

const permissionShape: DefinitionShape = {
  camera: { types: ['object'], description: 'The camera.' },
  microphone: { types: ['object'], description: 'The microphone.' },
  geolocation: { types: ['object'], description: 'The location of the user.' },
  clipboardWrite: { types: ['object'], description: 'Writing to the clipboard.' },
};

/** Keys of the metadata of an app. */
export const appShape: DefinitionShape = {
  csp: {
    types: ['object'],
    description:
      'External [origins](apps.md#security) that the page can reach, such as `https://api.example.com`. ' +
      'Hosts block all others. Default: none.',
    shape: cspShape,
  },
  permissions: {
    types: ['object'],
    description:
      'Browser [permissions](apps.md#permissions) that the page requests, each as `{}`. A host can refuse a ' +
      'permission, so the page must check it.',
    shape: permissionShape,
  },
  domain: {
    types: ['string'],
    description:
      'A dedicated origin for the page, in a host-specific form. A wrong value can prevent the app from being ' +
      "shown. Omit it unless the host's documentation gives you a value.",
  },
  prefersBorder: {
    types: ['boolean'],
    description:
      '`true`: the host should draw a border around the page. Defaults differ between hosts, so set this key.',
  },
};
