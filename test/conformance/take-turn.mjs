// Runs a module when it is its turn: `take-turn.mjs <port> <module> <arguments>`. The module ends the process.
import { once } from 'node:events';
import { connect } from 'node:net';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const [node, , port, file, ...args] = process.argv;
await once(connect(Number(port), '127.0.0.1'), 'data');
process.argv = [node, file, ...args];
await import(pathToFileURL(file).href);
