import { buildAllow } from './permissions.js';

/**
 * The sandbox proxy: a page of another origin, sent under the app's policy. Its inner frame gets the app and
 * inherits the policy. The proxy relays messages, and sends its own only about itself.
 * @see MCP Apps 2026-01-26, "Sandbox proxy"
 */

const sandboxPrefix = 'ui/notifications/sandbox-';
const here = window.location.origin;
const host = document.querySelector<HTMLMetaElement>('meta[name=host]')!.content;

document.addEventListener('DOMContentLoaded', () => {
  const inner = document.createElement('iframe');
  inner.title = 'App';
  inner.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms');
  document.body.append(inner);

  const tellHost = (method: string, params: object) =>
    window.parent.postMessage({ jsonrpc: '2.0', method: sandboxPrefix + method, params }, host);
  const tellViolation = (event: SecurityPolicyViolationEvent) =>
    tellHost('violation', {
      directive: event.effectiveDirective,
      blocked: event.blockedURI,
      sample: event.sample,
      line: event.lineNumber,
    });

  const show = ({ html, permissions }: { html: string; permissions?: object }) => {
    inner.setAttribute('allow', buildAllow(permissions));
    const page = inner.contentDocument!;
    // Content written into a page of this origin stays under this page's policy.
    page.open();
    page.addEventListener('securitypolicyviolation', tellViolation);
    page.write(html);
    page.close();
  };

  document.addEventListener('securitypolicyviolation', tellViolation);
  window.addEventListener('message', ({ source, origin, data }) => {
    const method: unknown = data?.method;
    const isOwn = typeof method === 'string' && method.startsWith(sandboxPrefix);
    if (source === window.parent && origin === host) {
      if (method === `${sandboxPrefix}resource-ready`) show(data.params);
      else if (!isOwn) inner.contentWindow?.postMessage(data, here);
      // The app has this page's origin. A page that the frame navigated to is not the app.
    } else if (source === inner.contentWindow && origin === here && !isOwn) {
      window.parent.postMessage(data, host);
    }
  });
  tellHost('proxy-ready', {});
});
