import { type Command, Option } from 'commander';
import { readAdapt } from '../../../engine/runtime/adapt.js';
import { addChoiceOptions, choiceInput } from '../../shared/grammar/choice-options.js';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { collect, collectVerbatim, positiveSeconds } from '../../shared/grammar/option-values.js';
import { registryOption } from '../../shared/grammar/registry-option.js';
import { addSandboxOptions, sandboxInput } from '../../shared/grammar/sandbox-options.js';
import { addPlaceOptions, placeInput } from '../../shared/grammar/target-options.js';

/** Adds `install`. */
export function defineInstall(program: Command, { host, answer, command }: CommandContext): void {
  addSandboxOptions(
    addChoiceOptions(
      addPlaceOptions(
        program
          .command('install')
          .summary("write a server into a client's config")
          .description(
            'Writes a server into the config file of an MCP client, so that the client starts it. The server is started once before, and nothing else in the file is touched.',
          )
          .argument(
            '[client]',
            'client id from list-clients, or several: cursor,vscode; omit it with --config or --all',
          )
          .argument(
            '[server]',
            'a path, a name, or any existing MCP server: npm:name, https://…, pypi:name, docker:image, nuget:name, io.github.acme/name, a .mcpb bundle, mcp.json#name; -- <command…>; else the extension in this folder',
          ),
      ),
    ),
  )
    .option('--name <key>', 'entry key; default: the configKey of the server')
    .option(
      '--env <name[=value]>',
      'set a variable for the server; without a value it is taken from here, as a secret; repeatable',
      collectVerbatim,
      [],
    )
    .option(
      '--arg <value>',
      'set an input of an existing server (name=value), or add an argument; repeatable',
      collectVerbatim,
      [],
    )
    .option(
      '--allow-scripts <package>',
      'run the install scripts of this npm package; repeatable',
      collectVerbatim,
      [],
    )
    .option(
      '--allow-findings <code>',
      'allow texts with findings of this code of text/ rules; repeatable, comma-separated',
      collect,
      [],
    )
    .option('--require-provenance', 'refuse a package without a verified provenance')
    .option('--sha256 <hash>', 'accept only a bundle with this SHA-256')
    .option('--header <name: value>', 'send a header to a remote server; repeatable', collectVerbatim, [])
    .addOption(
      new Option('--transport <name>', 'transport of a remote server; default: found out by asking').choices([
        'http',
        'sse',
      ]),
    )
    .option(registryOption.flags, registryOption.description)
    .option('--tool-option <tool.option=value>', 'set an option of a tool; repeatable', collectVerbatim, [])
    .option('--enable-mcp-apps', 'let the server show UI apps; the default')
    .option('--no-enable-mcp-apps', 'keep UI apps off')
    .option('--cwd <folder>', 'working directory of the server')
    .addOption(
      new Option(
        '--command <how>',
        'how the client runs agenttools: node by absolute paths, npx for files that are shared',
      )
        .choices(['node', 'npx'])
        .default('node'),
    )
    .option('--dev', 'run agenttools dev, which serves changes of the files as they are saved')
    .option('--frozen', 'let the client get only items that are as the server lists them now')
    .option(
      '--adapt [mode]',
      'change tools so that the client can use them whole; an existing server then runs through AgentTools; auto: only tools that the client would lose',
    )
    .option('--no-verify', 'do not start the server first')
    .option('--verify-timeout <seconds>', 'longest time the server may take to answer', positiveSeconds, 15)
    .option('--no-auto-install', 'do not install missing packages')
    .option(
      '--yes',
      'accept items that differ from the record, and settings of the project that send variables or change the route to registries',
    )
    .option('--dry-run', 'print what would change as a diff, and write nothing')
    .option('--force', 'replace an entry that another program wrote, or that was edited by hand')
    .option('--json', 'print what was done as JSON')
    .action(async (first: string | undefined, second: string | undefined, options) => {
      const { installCommand, walkIfInteractive } = await import('./run.js');
      const { project, mcpRegistry, config, all, json } = options;
      const isOpen = first === undefined && config === undefined && !all && !json;
      const open = { project, mcpRegistry, hasCommand: command !== undefined };
      const walk = isOpen ? await walkIfInteractive(open, host) : undefined;
      const place = walk
        ? { ...walk, config: undefined, all: false }
        : await placeInput([first, second], options, host);
      answer(
        await installCommand(
          {
            ...place,
            isReviewed: walk !== undefined,
            name: options.name,
            env: options.env,
            args: options.arg,
            headers: options.header,
            transport: options.transport,
            choices: choiceInput(options),
            allowScripts: options.allowScripts,
            allowFindings: options.allowFindings,
            requireProvenance: options.requireProvenance ?? false,
            sha256: options.sha256,
            mcpRegistry: options.mcpRegistry,
            command,
            toolOptions: options.toolOption,
            apps: options.enableMcpApps,
            cwd: options.cwd,
            by: options.command,
            dev: options.dev ?? false,
            frozen: options.frozen ?? false,
            adapt: readAdapt(options.adapt),
            sandbox: sandboxInput(options),
            verify: options.verify,
            verifyTimeoutMs: options.verifyTimeout * 1000,
            autoInstall: options.autoInstall,
            dryRun: options.dryRun ?? false,
            force: options.force ?? false,
            yes: options.yes ?? false,
            json: options.json ?? false,
          },
          host,
        ),
      );
    });
}
