import './jitless.js';
import type { McpUiDisplayMode, McpUiHostContext } from '@modelcontextprotocol/ext-apps/app-bridge';
import type {
  AppRendering,
  DevState,
  ListedTool,
  PreviewState,
  Theme,
} from '../engine/preview/page-messages.js';
import { AppFrame, type AppListener } from './app-frame.js';
import { ArgumentFault, ArgumentsForm, parseArguments } from './arguments-form.js';
import { type Item, type ItemKind, listItems } from './items.js';
import { Log } from './log.js';
import { askServer, renderApp, report, restartServer, subscribeToServer } from './program.js';
import { showQuestion } from './questions.js';
import { clearResult, showFailure, showResult } from './result.js';
import { themeStyles } from './themes.js';

type Arguments = Record<string, unknown>;

/** A call as it was made; later edits of the form do not change it. */
interface CallRecord {
  readonly tool: string;
  readonly args: Arguments;
}

/** A request without an app: its result is shown as text. */
type PlainRequest = ReturnType<Item['request']>;

/** The form of a tool, with the schema that it was made from. */
interface ToolForm {
  readonly tool: string | undefined;
  readonly schema: string;
  readonly fields: ArgumentsForm;
}

const findElement = <Element extends HTMLElement>(id: string) => document.getElementById(id) as Element;
const controls = {
  app: findElement<HTMLSelectElement>('app'),
  kind: findElement<HTMLSelectElement>('kind'),
  tool: findElement<HTMLSelectElement>('tool'),
  theme: findElement<HTMLSelectElement>('theme'),
  width: findElement<HTMLInputElement>('width'),
  mode: findElement<HTMLSelectElement>('mode'),
  asJson: findElement<HTMLInputElement>('as-json'),
  json: findElement<HTMLTextAreaElement>('json'),
  again: findElement<HTMLInputElement>('again'),
  run: findElement<HTMLButtonElement>('run'),
  cancel: findElement<HTMLButtonElement>('cancel'),
};
const [stage, place] = [findElement('stage'), findElement('place')];
const [diagnostics, budget] = [new Log('diagnostics'), findElement('budget')];
const logs = { violations: new Log('violations'), asks: new Log('asks'), messages: new Log('messages') };
const stderr = { text: findElement('stderr'), count: findElement('stderr-count'), lines: 0 };

/** True for a screenshot, which shows the app alone. */
const isPicture = new URLSearchParams(location.search).has('picture');

const displayModes: readonly McpUiDisplayMode[] = ['inline', 'fullscreen', 'pip'];
const sizes = {
  mostHeight: 4000,
  leastHeight: 40,
  firstHeight: 320,
  pip: { width: 360, height: 260 },
} as const;

let state: PreviewState | undefined;
let shownGeneration = -1;
/** True once the initial view of the command line has been applied. */
let hasBegun = false;
let form: ToolForm | undefined;
/** The app on the stage, and its URI. */
let frame: AppFrame | undefined;
let shownApp: string | undefined;
/** Settles when the previous app on the stage has ended. */
let farewell: Promise<void> = Promise.resolve();
let height: number | undefined;
let call: AbortController | undefined;
/** The call that is shown; undefined if no call is. */
let called: CallRecord | undefined;
/** The last request without an app. */
let shownRequest: PlainRequest | undefined;
let turns = 0;
/** The turn of the app that is listened to. Messages count until the app is gone, teardown included. */
let activeTurn = 0;
let lastMessage = 0;

function receive(next: PreviewState): void {
  state = next;
  showStatus(next);
  if (next.status.name !== 'ready') return;
  const isFirst = !hasBegun;
  hasBegun = true;
  fillApps(next);
  if (isFirst) applyInitialView(next);
  fillTools(next);
  if (next.dev) showDev(next.dev, next.apps.length > 0);
  if (isFirst && next.asked.arguments) {
    form?.fields.write(next.asked.arguments);
    controls.json.value = JSON.stringify(next.asked.arguments, undefined, 2);
  }
  if (next.generation === shownGeneration) return;
  shownGeneration = next.generation;
  if (next.apps.length === 0 || (shownRequest && !isFirst)) {
    if (shownRequest && controls.again.checked) void showPlain(shownRequest);
    return;
  }
  if (isFirst) return void showApp(controls.app.value, requestedCall(next));
  const isThere = next.apps.some(({ uri }) => uri === shownApp);
  void showApp(isThere ? shownApp! : controls.app.value, controls.again.checked ? called : undefined);
}

/** Shows the items without apps, and the state of the files. */
function showDev(dev: DevState, hasApps: boolean): void {
  findElement('kind-row').hidden = false;
  findElement('files').hidden = false;
  for (const control of [controls.app, controls.width, controls.mode])
    control.closest('label')!.hidden = !hasApps;
  findElement('fresh').hidden = !hasApps;
  findElement('restart').textContent = 'Reload files';
  findElement('version').textContent = dev.isBroken
    ? 'The files cannot be served. The version before is served until this is fixed.'
    : 'The current files are served.';
  findElement('version').classList.toggle('error', dev.isBroken);
  diagnostics.clear();
  for (const { severity, place, message, code } of dev.diagnostics)
    diagnostics.add(`${severity} ${place}`, `${message} (${code})`);
  findElement('tokens').textContent = dev.tokens?.text ?? '';
  budget.replaceChildren(
    ...(dev.tokens?.faults ?? []).map((fault) => {
      const entry = document.createElement('li');
      entry.textContent = fault;
      return entry;
    }),
  );
}

/** The call that the command line asks for. */
function requestedCall({ asked }: PreviewState): CallRecord | undefined {
  if (!asked.call || asked.tool === undefined) return undefined;
  return { tool: asked.tool, args: { ...asked.arguments } };
}

function applyInitialView({ asked }: PreviewState): void {
  controls.app.value = asked.app;
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  controls.theme.value = asked.theme ?? (dark ? 'dark' : 'light');
  controls.width.value = `${asked.width ?? Math.min(800, Math.max(320, stage.clientWidth - 48))}`;
  document.documentElement.dataset.theme = controls.theme.value;
}

function showStatus({ reference, server, status }: PreviewState): void {
  const name = server?.name || reference;
  document.title = `${name} – ${state?.dev ? 'dev' : 'preview'}`;
  findElement('server-name').textContent = name;
  const words = {
    starting: 'Starting…',
    ready: `Running${server?.version ? `, version ${server.version}` : ''}`,
  };
  findElement('status').textContent = status.name === 'failed' ? 'Not running' : words[status.name];
  showFault(status.name === 'failed' ? status.message : undefined);
}

function showFault(text: string | undefined): void {
  const fault = findElement('fault');
  fault.hidden = text === undefined;
  fault.textContent = text ?? '';
}

function fillApps({ apps }: PreviewState): void {
  const chosen = controls.app.value;
  controls.app.replaceChildren(...apps.map(({ uri, title }) => new Option(title, uri)));
  if (apps.some(({ uri }) => uri === chosen)) controls.app.value = chosen;
}

/** Lists the tools. Selects the wanted tool, or keeps the selection. */
function fillTools({ tools, apps, asked, dev }: PreviewState, wanted?: string): void {
  if (dev && controls.kind.value !== 'tools') {
    fillItems();
    return;
  }
  const app = apps.find(({ uri }) => uri === controls.app.value);
  const chosen = wanted ?? (controls.tool.value || asked.tool);
  const own = tools.filter(({ name }) => app?.tools.includes(name));
  const others = tools.filter((tool) => !own.includes(tool));
  controls.tool.replaceChildren(group('Shown by this app', own), group('Other tools', others));
  if (chosen !== undefined && tools.some(({ name }) => name === chosen)) controls.tool.value = chosen;
  else controls.tool.value = own[0]?.name ?? tools[0]?.name ?? '';
  showTool();
}

/** Lists prompts or resources. Keeps the selection. */
function fillItems(): void {
  const chosen = controls.tool.value;
  const items = itemsOfKind();
  controls.tool.replaceChildren(...items.map(({ id, label }) => new Option(label, id)));
  if (items.some(({ id }) => id === chosen)) controls.tool.value = chosen;
  showTool();
}

function itemsOfKind(): readonly Item[] {
  const kind = (controls.kind.value || 'tools') as ItemKind;
  return state ? listItems(kind, state.tools, state.dev ?? { prompts: [], resources: [] }) : [];
}

function chosenItem(): Item | undefined {
  return itemsOfKind().find(({ id }) => id === controls.tool.value);
}

function group(label: string, tools: readonly ListedTool[]): HTMLOptGroupElement {
  const made = document.createElement('optgroup');
  made.label = label;
  made.hidden = tools.length === 0;
  made.append(
    ...tools.map(
      ({ name, title }) => new Option(title && title !== name ? `${title} (${name})` : name, name),
    ),
  );
  return made;
}

/** Shows the form of the chosen tool. Keeps the input while the tool stays the same. */
function showTool(): void {
  const item = chosenItem();
  const id = item && `${item.kind} ${item.id}`;
  controls.run.disabled = item === undefined;
  findElement('tool-description').textContent = item?.description ?? '';
  const schema = JSON.stringify(item?.schema ?? {});
  if (form && form.tool === id && form.schema === schema) return;
  const before = form && form.tool === id ? readForm() : undefined;
  form = { tool: id, schema, fields: new ArgumentsForm(findElement('fields'), item?.schema) };
  if (before) form.fields.write(before);
}

function readForm(): Arguments | undefined {
  try {
    return form?.fields.read();
  } catch {
    return undefined;
  }
}

function findToolByName(name: string): ListedTool | undefined {
  return state?.tools.find((tool) => tool.name === name);
}

/** The arguments as written. @throws ArgumentFault */
function readArguments(): Arguments {
  return controls.asJson.checked ? parseArguments(controls.json.value) : (form?.fields.read() ?? {});
}

/** Shows an app in a new frame, as hosts do for every call. With a call, the app is shown its result. */
async function showApp(app: string, wanted: CallRecord | undefined): Promise<void> {
  turns += 1;
  const turn = turns;
  const isCurrent = () => turn === turns;
  call?.abort();
  called = wanted;
  shownApp = app;
  shownRequest = undefined;
  clearResult();
  showFault(undefined);
  for (const log of Object.values(logs)) log.clear();
  await clearStage();
  if (!isCurrent()) return;
  activeTurn = turn;
  height = undefined;
  try {
    const rendering = await renderApp(app);
    if (!isCurrent()) return;
    showPolicy(rendering);
    const own = new AppFrame(rendering, place, { context: context(), listener: createAppListener(turn) });
    frame = own;
    stage.classList.toggle('bordered', rendering.prefersBorder);
    arrange();
    await own.initialized;
    if (!isCurrent()) return;
    await report({ kind: 'initialized' });
    offerModes(own.modes);
    const isError = wanted ? await callToolFor(own, wanted) : false;
    if (!isCurrent() || isError === undefined) return;
    await waitForQuiet();
    await report({ kind: 'shown', height: Math.ceil(own.element.getBoundingClientRect().height), isError });
  } catch (error) {
    if (!isCurrent()) return;
    const { message } = error as Error;
    showFault(message);
    await report({ kind: 'failed', message });
  }
}

/** Makes a request and shows its result without an app. */
async function showPlain(request: PlainRequest): Promise<void> {
  turns += 1;
  const turn = turns;
  call?.abort();
  called = undefined;
  shownRequest = request;
  showFault(undefined);
  clearResult();
  await clearStage();
  const leaving = new AbortController();
  call = leaving;
  controls.cancel.disabled = false;
  try {
    const result = await askServer({ ...request, from: 'page' }, leaving.signal);
    if (turn === turns) showResult(result);
  } catch (error) {
    if (turn === turns)
      showFailure(leaving.signal.aborted ? 'The call was cancelled.' : (error as Error).message);
  } finally {
    if (call === leaving) {
      call = undefined;
      controls.cancel.disabled = true;
    }
  }
}

/** Waits for the app on the stage to end; concurrent calls wait for the same end. */
async function clearStage(): Promise<void> {
  if (frame) farewell = frame.close();
  frame = undefined;
  await farewell;
}

/**
 * Calls a tool and sends its result to the app. Returns true if the tool failed, undefined if it was
 * cancelled.
 */
async function callToolFor(own: AppFrame, { tool, args }: CallRecord): Promise<boolean | undefined> {
  const leaving = new AbortController();
  call = leaving;
  controls.cancel.disabled = false;
  await own.sendInput(args);
  try {
    const params = { name: tool, arguments: args };
    const request = { method: 'tools/call', params, from: 'page' } as const;
    const result = await askServer(request, leaving.signal);
    await own.sendResult(result);
    return (result as { isError?: unknown }).isError === true;
  } catch (error) {
    const reason = leaving.signal.aborted ? 'The call was cancelled.' : (error as Error).message;
    await own.sendCancelled(reason);
    if (leaving.signal.aborted) return undefined;
    throw error;
  } finally {
    if (call === leaving) {
      call = undefined;
      controls.cancel.disabled = true;
    }
  }
}

/** Waits until the app has sent nothing for a moment and has been painted. */
async function waitForQuiet(): Promise<void> {
  const [silence, most] = [300, 3000];
  const start = performance.now();
  lastMessage = start;
  while (performance.now() - lastMessage < silence && performance.now() - start < most) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
}

function createAppListener(turn: number): AppListener {
  const whileHeard =
    <Heard extends readonly unknown[]>(hear: (...heard: Heard) => void) =>
    (...heard: Heard) => {
      if (turn !== activeTurn) return;
      lastMessage = performance.now();
      hear(...heard);
    };
  return {
    message: whileHeard((from, message) => {
      const { method, id, params, ...rest } = message as Record<string, unknown>;
      const arrow = from === 'app' ? '← from the app' : '→ to the app';
      const number = id === undefined ? '' : ` #${id}`;
      logs.messages.add(
        `${arrow}: ${method ?? 'answer'}${number}`,
        method ? params : (rest.error ?? rest.result),
      );
    }),
    violation: whileHeard((violation) => {
      const { directive, blocked, sample, line } = violation;
      const where = line > 0 ? ` (line ${line})` : '';
      logs.violations.add(`${directive}: ${blocked}${where}`, sample || undefined);
      void report({ kind: 'violation', violation });
    }),
    size: whileHeard((size) => {
      if (size.height === undefined || !Number.isFinite(size.height)) return;
      height = Math.min(sizes.mostHeight, Math.max(sizes.leastHeight, Math.ceil(size.height)));
      arrange();
    }),
    ask: whileHeard((what, details) => logs.asks.add(what, details)),
    mode(wanted) {
      logs.asks.add('Display mode', wanted);
      if (displayModes.includes(wanted) && frame?.modes.includes(wanted)) controls.mode.value = wanted;
      changeContext();
      return controls.mode.value as McpUiDisplayMode;
    },
    request: (method, params, signal) => askServer({ method, params: { ...params }, from: 'app' }, signal),
    leave: whileHeard(() => {
      if (!frame) return;
      logs.asks.add('Close');
      turns += 1;
      void clearStage();
    }),
  };
}

function showPolicy({ policy, refused }: AppRendering): void {
  findElement('policy').textContent = policy;
  const entries = refused.map(({ key, domain, reason }) => {
    const entry = document.createElement('li');
    entry.textContent = `${key}: ${domain} is left out. ${reason}`;
    return entry;
  });
  findElement('refused').replaceChildren(...entries);
}

/** Disables the modes that the app does not declare. An app is never shown in one of them. */
function offerModes(modes: readonly McpUiDisplayMode[]): void {
  for (const option of controls.mode.options) {
    option.disabled = option.value !== 'inline' && !modes.includes(option.value as McpUiDisplayMode);
  }
  if (controls.mode.selectedOptions[0]?.disabled) controls.mode.value = 'inline';
  changeContext();
}

function changeContext(): void {
  document.documentElement.dataset.theme = controls.theme.value;
  arrange();
  frame?.setContext(context());
}

/** Sets the size of the app's frame. */
function arrange(): void {
  const mode = controls.mode.value;
  stage.dataset.mode = mode;
  if (!frame) return;
  const { style } = frame.element;
  const fixed = dimensions();
  style.width = `${'width' in fixed ? fixed.width : chosenWidth()}px`;
  style.height = `${'height' in fixed ? fixed.height : (height ?? sizes.firstHeight)}px`;
}

function chosenWidth(): number {
  const width = Math.round(Number(controls.width.value));
  return width >= 160 && width <= 4000 ? width : 800;
}

/** The space that the app gets: fixed, or with a maximum height. */
function dimensions(): { width: number } & ({ height: number } | { maxHeight: number }) {
  if (isPicture) {
    const fixed = state?.asked.height;
    return fixed === undefined
      ? { width: innerWidth, maxHeight: sizes.mostHeight }
      : { width: innerWidth, height: fixed };
  }
  if (controls.mode.value === 'pip') return sizes.pip;
  if (controls.mode.value === 'fullscreen') return { width: stage.clientWidth, height: stage.clientHeight };
  return { width: chosenWidth(), maxHeight: sizes.mostHeight };
}

function context(): McpUiHostContext {
  const theme = controls.theme.value as Theme;
  const tool = called && findToolByName(called.tool);
  return {
    theme,
    styles: { variables: themeStyles(theme) },
    displayMode: controls.mode.value as McpUiDisplayMode,
    availableDisplayModes: [...displayModes],
    containerDimensions: dimensions(),
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    userAgent: 'agenttools-preview',
    platform: 'web',
    deviceCapabilities: {
      touch: navigator.maxTouchPoints > 0,
      hover: matchMedia('(hover: hover)').matches,
    },
    safeAreaInsets: { top: 0, right: 0, bottom: 0, left: 0 },
    // biome-ignore lint/suspicious/noExplicitAny: a tool as the server lists it
    ...(tool && { toolInfo: { tool: tool as any } }),
  };
}

function submit(): void {
  const fault = findElement('arguments-fault');
  try {
    const args = readArguments();
    fault.hidden = true;
    const item = chosenItem();
    const hasApp = item?.kind === 'tools' && (!state?.dev || boundApp(item.id) !== undefined);
    if (item && !hasApp) return void showPlain(item.request(args));
    void showApp(controls.app.value, { tool: controls.tool.value, args });
  } catch (error) {
    if (!(error instanceof ArgumentFault)) throw error;
    fault.textContent = error.message;
    fault.hidden = false;
  }
}

function boundApp(tool: string): string | undefined {
  return state?.apps.find(({ tools }) => tools.includes(tool))?.uri;
}

/** Copies the input from one form to the other. */
function switchForm(): void {
  const isJson = controls.asJson.checked;
  if (isJson) controls.json.value = JSON.stringify(readForm() ?? {}, undefined, 2);
  else {
    try {
      form?.fields.write(parseArguments(controls.json.value));
    } catch {
      // Text that is not JSON cannot be shown in fields.
    }
  }
  findElement('json-row').hidden = !isJson;
  findElement('fields').hidden = isJson;
}

controls.app.addEventListener('change', () => {
  const app = state?.apps.find(({ uri }) => uri === controls.app.value);
  if (state) fillTools(state, app?.tools[0]);
  void showApp(controls.app.value, undefined);
});
const kindTexts: Readonly<Record<string, readonly [string, string]>> = {
  tools: ['Tool', 'Call'],
  prompts: ['Prompt', 'Get'],
  resources: ['Resource', 'Read'],
};
controls.kind.addEventListener('change', () => {
  const [label, verb] = kindTexts[controls.kind.value]!;
  findElement('item-label').textContent = label;
  findElement('call-title').textContent = controls.kind.value === 'tools' ? 'Tool call' : label;
  controls.run.textContent = verb;
  if (state) fillTools(state);
});
controls.tool.addEventListener('change', () => {
  const app = controls.kind.value === 'tools' ? boundApp(controls.tool.value) : undefined;
  if (app !== undefined) controls.app.value = app;
  showTool();
  if (state) fillTools(state);
});
for (const control of [controls.theme, controls.width, controls.mode]) {
  control.addEventListener('change', changeContext);
}
new ResizeObserver(() => changeContext()).observe(stage);
controls.asJson.addEventListener('change', switchForm);
controls.cancel.addEventListener('click', () => call?.abort());
findElement('fresh').addEventListener('click', () => void showApp(controls.app.value, undefined));
findElement('restart').addEventListener('click', () => void restartServer());
findElement('call').addEventListener('submit', (event) => {
  event.preventDefault();
  submit();
});

if (isPicture) document.documentElement.classList.add('picture');

const events = subscribeToServer({
  state(next) {
    try {
      receive(next);
    } catch (error) {
      const { message } = error as Error;
      showFault(message);
      void report({ kind: 'failed', message });
    }
  },
  stderr(text) {
    stderr.lines += text.split('\n').length - 1;
    stderr.count.textContent = `${stderr.lines}`;
    stderr.text.textContent = `${stderr.text.textContent}${text}`.slice(-20_000);
  },
  changed: (method) => void frame?.sendChanged(method),
  question: showQuestion,
});
events.addEventListener('error', () =>
  showFault('The preview has ended. Start it again, and open the address that it prints.'),
);
events.addEventListener('open', () => {
  showFault(undefined);
  // The program sends the stderr so far again.
  stderr.lines = 0;
  stderr.count.textContent = '0';
  stderr.text.textContent = '';
});
