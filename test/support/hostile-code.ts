/** Code of a handler that harms its process, by family. */
export interface HostileCode {
  readonly family: string;
  readonly name: string;
  /** The body of an async function of `(args, ctx)`. */
  readonly body: string;
}

const families: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'prototype pollution': {
    'an enumerable member': `Object.prototype.x = 1; return 'done';`,
    'a getter': `Object.defineProperty(Object.prototype, 'y', { enumerable: true, configurable: true, get() { throw new Error('read'); } }); return 'done';`,
    'by a naive merge': `
      const merge = (to, from) => {
        for (const key of Object.keys(from)) {
          if (typeof from[key] === 'object') merge((to[key] ??= {}), from[key]);
          else to[key] = from[key];
        }
        return to;
      };
      merge({}, JSON.parse('{"settings":{"constructor":{"prototype":{"polluted":1}}}}').settings);
      return 'done';`,
    toJSON: `Object.prototype.toJSON = () => 'taken'; return { a: 1 };`,
    'a method then': `Object.prototype.then = function () {}; return 'done';`,
    'a setter for an index': `Object.defineProperty(Array.prototype, '0', { configurable: true, set() { throw new Error('set'); } }); return 'done';`,
    'a hidden getter for an index that stays': `Object.defineProperty(Array.prototype, '0', { configurable: false, get: () => 'taken', set() {} }); return 'done';`,
    'a value descriptor': `Object.prototype.get = () => 1; Object.prototype.value = 2; return 'done';`,
    'an iterator': `Array.prototype[Symbol.iterator] = function* () {}; return 'done';`,
  },
  'replaced built-ins': {
    'JSON.stringify': `JSON.stringify = () => 'taken'; return { a: 1 };`,
    'JSON.parse': `JSON.parse = () => ({}); return 'done';`,
    Promise: `globalThis.Promise = class {}; return 'done';`,
    'Promise.prototype.then': `Promise.prototype.then = () => {}; return 'done';`,
    Map: `Map.prototype.get = () => undefined; Map.prototype.set = () => { throw new Error('set'); }; return 'done';`,
    'Array methods': `Array.prototype.push = Array.prototype.map = Array.prototype.join = () => 0; return 'done';`,
    timers: `globalThis.setTimeout = globalThis.clearTimeout = globalThis.setImmediate = () => {}; return 'done';`,
    'process.nextTick': `process.nextTick = () => {}; return 'done';`,
    'Buffer.from': `Buffer.from = () => { throw new Error('from'); }; return 'done';`,
    EventEmitter: `(await import('node:events')).EventEmitter.prototype.emit = () => false; return 'done';`,
    AbortController: `globalThis.AbortController = class {}; AbortSignal.prototype.addEventListener = () => {}; return 'done';`,
    'String methods': `String.prototype.slice = String.prototype.split = () => { throw new Error('split'); }; return 'done';`,
    'Reflect and Object': `Reflect.apply = Object.keys = Object.entries = Object.assign = () => { throw new Error('keys'); }; return 'done';`,
    'Buffer.poolSize': `Buffer.poolSize = -1; return 'done';`,
    'all names, by a script': `process.getBuiltinModule('vm').runInThisContext('let JSON = {}, Promise = 1, Error = 2, setTimeout = 3; const Object = null;'); return 'done';`,
    'Symbol.hasInstance': `Object.defineProperty(Error, Symbol.hasInstance, { configurable: true, value: () => false }); throw new Error('x');`,
  },
  'replaced modules of Node': {
    'fs by sync and promise': `const fs = (await import('node:fs')).default; fs.readFileSync = fs.promises.stat = () => { throw new Error('fs'); }; process.getBuiltinModule('module').syncBuiltinESMExports(); return 'done';`,
    path: `const path = (await import('node:path')).default; path.join = path.resolve = () => { throw new Error('path'); }; process.getBuiltinModule('module').syncBuiltinESMExports(); return 'done';`,
    util: `const util = (await import('node:util')).default; util.inspect = util.types.isProxy = () => { throw new Error('util'); }; return 'done';`,
    'streams and sockets': `process.getBuiltinModule('stream').Readable.prototype.push = process.getBuiltinModule('net').Socket.prototype.emit = () => { throw new Error('push'); }; return 'done';`,
    'the module loader': `const module = process.getBuiltinModule('module'); module._load = module._resolveFilename = () => { throw new Error('load'); }; return 'done';`,
    'timers/promises': `process.getBuiltinModule('timers/promises').setTimeout = () => new Promise(() => {}); process.getBuiltinModule('module').syncBuiltinESMExports(); return 'done';`,
    AsyncLocalStorage: `process.getBuiltinModule('async_hooks').AsyncLocalStorage.prototype.run = () => { throw new Error('run'); }; return 'done';`,
    'values that modules export': `Object.assign((await import('node:path')).default, { sep: undefined, delimiter: 5 }); process.getBuiltinModule('module')._cache = null; return 'done';`,
    'bindings of Node': `for (const name of ['fs', 'url', 'buffer', 'util', 'contextify', 'os']) { const binding = process.binding(name); for (const key of Object.keys(binding)) binding[key] = () => { throw new Error(key); }; } return 'done';`,
    'prototypes of web APIs': `Object.getPrototypeOf(crypto.subtle).digest = Intl.NumberFormat.prototype.formatToParts = () => { throw new Error('web'); }; return 'done';`,
    crypto: `process.getBuiltinModule('crypto').randomUUID = () => 'x'; return 'done';`,
  },
  'shared objects': {
    'prototypes of timers': `const timer = setTimeout(() => {}); clearTimeout(timer); Object.getPrototypeOf(timer).unref = () => { throw new Error('unref'); }; return 'done';`,
    'a hidden method then': `Object.defineProperty(Function.prototype, 'then', { configurable: true, value: (resolve) => resolve(1) }); return 'done';`,
    'all globals deleted': `const { deleteProperty, ownKeys } = Reflect; const root = globalThis; const names = ownKeys(root); for (let index = 0; index < names.length; index++) deleteProperty(root, names[index]); return 'done';`,
    'globals that Node keeps': `globalThis.process = globalThis.performance = globalThis.crypto = {}; return 'done';`,
    'the clock': `performance.now = () => NaN; return 'done';`,
    'settings of errors': `Object.defineProperty(Error, 'stackTraceLimit', { get() { throw new Error('limit'); } }); return 'done';`,
    'stdout and stderr': `process.stderr.write = () => { throw new Error('write'); }; setTimeout(() => { throw new Error('late'); }, 1); return 'done';`,
    'a frozen global object': `Object.freeze(globalThis); return 'done';`,
    'the platform': `Object.defineProperty(process, 'platform', { value: 'win32' }); Object.defineProperty(process, 'moduleLoadList', { configurable: true, get() { throw new Error('list'); } }); return 'done';`,
    'a frozen process': `Object.freeze(process); return 'done';`,
    'the environment': `for (const key of Object.keys(process.env)) delete process.env[key]; return 'done';`,
    'a replaced environment': `process.env = null; return 'done';`,
    'an environment that throws': `process.env = new Proxy({}, { get() { throw new Error('env'); }, has() { throw new Error('env'); }, ownKeys() { throw new Error('env'); } }); return 'done';`,
    'an environment by a getter that throws': `Object.defineProperty(process, 'env', { configurable: true, get() { throw new Error('env'); } }); return 'done';`,
    'a prototype of the environment that throws': `Object.setPrototypeOf(process.env, new Proxy({}, { get() { throw new Error('env'); } })); return 'done';`,
    'the working directory and umask': `process.chdir('/'); process.umask(0o777); return 'done';`,
    'all file descriptors': `const fs = await import('node:fs'); globalThis.kept = []; try { for (;;) kept.push(fs.openSync(process.execPath)); } catch {} return 'done';`,
    'a change from a timer': `setInterval(() => { Set.prototype.has = () => false; }, 1); return 'done';`,
  },
  'hooks of asynchronous resources': {
    'new promises': `process.getBuiltinModule('v8').promiseHooks.onInit(() => { throw new Error('init'); }); return 'done';`,
    'settled promises': `process.getBuiltinModule('v8').promiseHooks.createHook({ settled() { throw new Error('settled'); } }); return 'done';`,
    'all resources': `process.getBuiltinModule('async_hooks').createHook({ init() { throw new Error('init'); }, promiseResolve() { throw new Error('resolve'); } }).enable(); return 'done';`,
  },
  'process events and exits': {
    'process.exit': `process.exit(3);`,
    'process.reallyExit': `process.reallyExit(3);`,
    'process.abort': `process.abort();`,
    'process.kill': `process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});`,
    'a segfault': `process.kill(process.pid, 'SIGSEGV'); await new Promise(() => {});`,
    'a crash handler that exits': `process.on('uncaughtException', () => process.exit(1)); setTimeout(() => { throw new Error('late'); }); return 'done';`,
    'a listener that throws again': `process.on('unhandledRejection', (error) => { throw error; }); Promise.reject(new Error('late')); return 'done';`,
    'listeners that reject': `process.on('uncaughtException', async () => { throw new Error('again'); }); process.on('unhandledRejection', async () => { throw new Error('loop'); }); setTimeout(() => { throw new Error('late'); }, 1); return 'done';`,
    'no listeners': `process.removeAllListeners(); setTimeout(() => { throw new Error('late'); }, 1); return 'done';`,
    'an emitted signal': `process.emit('SIGTERM'); return 'done';`,
    'a late rejection': `Promise.reject(new Error('late')); return 'done';`,
    'a closed channel': `const fs = await import('node:fs'); for (const fd of [0, 1, 2, 3, 4]) try { fs.closeSync(fd); } catch {} return 'done';`,
    'a deleted process': `delete globalThis.process; return 'done';`,
  },
  leftovers: {
    'a late exit': `setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1); return 'done';`,
    'a late end of memory': `setTimeout(() => { const kept = []; for (;;) kept.push(new Array(1e6).fill({})); }, 1); return 'done';`,
    'work that fills the thread pool': `const { pbkdf2 } = await import('node:crypto'); for (let n = 0; n < 8; n += 1) pbkdf2('a', 'b', 1e9, 64, 'sha512', () => {}); return 'done';`,
    'reads without end': `
      const { execFileSync } = await import('node:child_process');
      const { readFile } = await import('node:fs');
      const pipe = process.env.HOME + '/pipe-' + Math.random();
      execFileSync('mkfifo', [pipe]);
      for (let n = 0; n < 8; n += 1) readFile(pipe, () => {});
      return 'done';`,
    'a late wait': `setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 1); return 'done';`,
    'a late block': `setTimeout(() => { for (;;); }, 1); return 'done';`,
    'handles that keep nothing alive': `for (const handle of process._getActiveHandles()) try { handle.unref?.(); handle.pause?.(); handle.removeAllListeners?.(); } catch {} return 'done';`,
    'closed handles': `for (const handle of process._getActiveHandles()) try { handle._handle?.close?.(); } catch {} return 'done';`,
    'a closed input': `(await import('node:fs')).closeSync(3); return 'done';`,
  },
  prints: {
    'by console': `console.log('{"jsonrpc":"2.0","id":1,"result":{}}'); return 'done';`,
    'by process.stdout': `process.stdout.write('{"jsonrpc":"2.0"}\\n'); return 'done';`,
    'by the descriptor': `(await import('node:fs')).writeSync(1, 'printed\\n'); return 'done';`,
    'by a device': `(await import('node:fs')).writeFileSync('/dev/stdout', 'printed\\n'); return 'done';`,
    'by a worker': `
      const { Worker } = await import('node:worker_threads');
      await new Promise((resolve) => new Worker('require("fs").writeSync(1, "printed\\\\n"); console.log("too")', { eval: true }).on('exit', resolve));
      return 'done';`,
    'by a handle': `for (const handle of process._getActiveHandles()) try { handle.write?.('printed\\n'); } catch {} return 'done';`,
    'by a child': `(await import('node:child_process')).spawnSync('echo', ['printed'], { stdio: 'inherit' }); return 'done';`,
    'into the channel': `try { (await import('node:fs')).writeSync(4, 'no message\\n'); } catch {} return 'done';`,
    'a message into the channel': `try { (await import('node:fs')).writeSync(4, '{"type":"result","call":1,"result":5}\\n{"type":"nonsense"}\\n'); } catch {} return 'done';`,
  },
  'odd messages': {
    'a type that is no text': `(await import('node:fs')).writeSync(4, '{"type":{"toString":1}}\\n'); return 'done';`,
    'an error that is no text': `(await import('node:fs')).writeSync(4, '{"type":"error","call":2,"error":{"message":{"toString":1}}}\\n'); await new Promise(() => {});`,
    'answers to later calls': `for (let call = 1; call < 60; call += 1) (await import('node:fs')).writeSync(4, '{"type":"error","call":' + call + ',"error":{"code":-1,"message":"x"}}\\n'); return 'done';`,
    'the memory that buffers share': `
      const seen = Buffer.from(Buffer.from('x').buffer).toString('latin1');
      const key = /([\\w-]{22})\\{"type":"/.exec(seen)?.[1] ?? '';
      for (let call = 1; call < 60; call += 1) (await import('node:fs')).writeSync(4, key + '{"type":"result","call":' + call + ',"result":{"content":[]}}\\n');
      return 'done';`,
  },
  blocking: {
    'an endless loop': `for (;;);`,
    'an endless microtask': `const spin = () => Promise.resolve().then(spin); return await spin();`,
    'a waiting thread': `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`,
    'a promise without end': `await new Promise(() => {});`,
  },
  memory: {
    'a heap without end': `const kept = []; for (;;) kept.push(new Array(1e6).fill({}));`,
    'a result of 100 MB': `return 'x'.repeat(100_000_000);`,
    'a result that is long in JSON': `return '\\u0001'.repeat(12_000_000);`,
    'many listeners of the signal': `for (let n = 0; n < 10_000; n += 1) ctx.signal.addEventListener('abort', () => {}); return 'done';`,
  },
  'odd results': {
    'a BigInt': `return { a: 1n };`,
    'a cycle': `const a = {}; a.a = a; return a;`,
    'a Proxy that throws': `return new Proxy({}, { get() { throw new Error('get'); }, ownKeys() { throw new Error('keys'); } });`,
    'a thenable': `return { then: 5, content: { then() {} } };`,
    'a thenable without end': `return { then() {} };`,
    'deep data': `let a = {}; for (let n = 0; n < 100_000; n += 1) a = { a }; return a;`,
    'a getter that replaces built-ins': `return { content: [{ type: 'text', get text() { Array.isArray = () => false; Array.prototype.map = () => []; return 'x'; } }] };`,
    'a revoked Proxy': `const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return { proxy };`,
  },
  'odd errors': {
    undefined: `throw undefined;`,
    'a Proxy': `throw new Proxy(new Error('x'), { get() { throw new Error('get'); } });`,
    'a message that throws': `throw Object.defineProperty(new Error('x'), 'message', { get() { throw new Error('get'); } });`,
    'a huge message': `throw new Error('x'.repeat(10_000_000));`,
    'a cyclic cause': `const e = new Error('x'); e.cause = e; throw e;`,
    'a stack hook': `Error.prepareStackTrace = () => { throw new Error('stack'); }; throw new Error('x');`,
  },
  'use of ctx': {
    'a progress flood': `for (let n = 1; n < 20_000; n += 1) ctx.progress(n); return 'done';`,
    'odd log data': `ctx.log.info(1n); ctx.log.info(new Proxy({}, { get() { throw new Error('get'); } })); return 'done';`,
    'odd changes': `try { ctx.notifyChanged({}); } catch {} try { ctx.notifyResourceUpdated(5); } catch {} return 'done';`,
    'a call of itself': `return await ctx.callTool('run', { body: args.body });`,
    'a question after the call': `setTimeout(() => ctx.elicit('late', { name: 'string' }).catch(() => {}), 1); return 'done';`,
    'a frozen context': `Object.freeze(ctx); return 'done';`,
  },
};

/** Every piece of hostile code, in order. */
export const hostileCode: readonly HostileCode[] = Object.entries(families).flatMap(([family, bodies]) =>
  Object.entries(bodies).map(([name, body]) => ({ family, name, body })),
);
