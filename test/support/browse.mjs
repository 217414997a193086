#!/usr/bin/env node
// A browser whose user agrees to everything: `browse.mjs <address>`. The program itself waits at the last address.
import process from 'node:process';
import { browse } from './sign-in-servers.mjs';

await fetch(await browse(process.argv[2]));
