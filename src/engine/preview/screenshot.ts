import { Browser, type BrowserOptions } from './devtools.js';

export interface Window {
  readonly width: number;
  readonly height: number;
  readonly theme: 'light' | 'dark';
}

/** A window of a headless browser. */
export interface HeadlessWindow {
  resize(window: Window): Promise<void>;
  /** Screenshot of the window, as PNG. */
  picture(): Promise<Buffer>;
  close(): Promise<void>;
}

/** Opens a URL in a new browser process. @throws AgentToolsError `failed` */
export async function openWindow(
  url: string,
  { window, ...options }: BrowserOptions & { readonly window: Window },
): Promise<HeadlessWindow> {
  const browser = await Browser.open(options);
  try {
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
    const send = (method: string, params?: Readonly<Record<string, unknown>>) =>
      browser.send(method, params, sessionId as string);
    const resize = async ({ width, height, theme }: Window) => {
      const features = [{ name: 'prefers-color-scheme', value: theme }];
      await send('Emulation.setEmulatedMedia', { features });
      await send('Emulation.setDeviceMetricsOverride', {
        width,
        height,
        deviceScaleFactor: 1,
        mobile: false,
      });
    };
    await resize(window);
    await send('Page.navigate', { url });
    return {
      resize,
      async picture() {
        const { data } = await send('Page.captureScreenshot', { format: 'png' });
        return Buffer.from(data as string, 'base64');
      },
      close: () => browser.close(),
    };
  } catch (error) {
    await browser.close();
    throw error;
  }
}
