// A host for one app, by the official bridge. It runs in a browser; what it hears goes to the test that drives it.
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

/** The requests of an app that the test answers. */
const answered = {
  oncalltool: 'tools/call',
  onreadresource: 'resources/read',
  onopenlink: 'ui/open-link',
  onmessage: 'ui/message',
  onupdatemodelcontext: 'ui/update-model-context',
  onrequestdisplaymode: 'ui/request-display-mode',
};

let bridge;
let frame;

/** Shows an app and settles when it has introduced itself. */
window.openApp = async ({ url, hostContext, hostCapabilities, sandbox }) => {
  frame = document.createElement('iframe');
  frame.title = 'App';
  frame.setAttribute('sandbox', sandbox);
  frame.style.cssText = 'display: block; border: 0; width: 100%; height: 150px';
  document.body.append(frame);
  window.addEventListener('message', ({ source, data }) => {
    if (source === frame.contentWindow) window.record('app', data);
  });

  bridge = new AppBridge(null, { name: 'test-host', version: '1.0.0' }, hostCapabilities, { hostContext });
  for (const [name, method] of Object.entries(answered))
    bridge[name] = (params) => window.answerApp(method, params);
  bridge.onsizechange = ({ height }) => {
    if (height !== undefined) frame.style.height = `${height}px`;
  };
  const initialized = new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });

  const transport = new PostMessageTransport(frame.contentWindow, frame.contentWindow);
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    window.record('host', message);
    await send(message, options);
  };
  await bridge.connect(transport);
  frame.src = url;
  await initialized;
};

/** Calls the official bridge by the name of its method. */
window.tellApp = async (method, params) => {
  const result = await bridge[method](params);
  return result === undefined ? undefined : JSON.parse(JSON.stringify(result));
};

/** Sends a message as it is, past the official bridge. */
window.postToApp = (message) => frame.contentWindow.postMessage(message, '*');
