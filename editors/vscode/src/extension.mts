import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commands, type ExtensionContext, window, workspace } from 'vscode'
import { LanguageClient } from 'vscode-languageclient/node'

/** Starts the language server for the folder that is open, and the two commands above a hank. */
let client: LanguageClient | undefined

export async function activate(context: ExtensionContext): Promise<void> {
  const settings = workspace.getConfiguration('weave')
  const command = commandOf(settings.get<string>('command', ''))
  const model = settings.get<string>('model', '')
  const server = { command, args: ['lsp', '--stdio'] }
  client = new LanguageClient('weave', 'weave', server, {
    documentSelector: [
      { scheme: 'file', language: 'json' },
      { scheme: 'file', language: 'markdown' },
    ],
    initializationOptions: model === '' ? {} : { model },
    synchronize: { fileEvents: workspace.createFileSystemWatcher('**/*.{json,md}') },
  })
  for (const word of ['rehearse', 'validate'])
    context.subscriptions.push(
      commands.registerCommand(`weave.${word}`, (path = window.activeTextEditor?.document.fileName) => {
        if (typeof path === 'string') inTerminal(command, word, path)
      }),
    )
  await client.start()
}

export function deactivate(): Promise<void> | undefined {
  return client?.stop()
}

/** Words, not a line for a shell: a path may have anything in it. */
function inTerminal(command: string, word: string, path: string): void {
  window
    .createTerminal({
      name: `weave ${word}`,
      cwd: dirname(path),
      shellPath: command,
      shellArgs: [word, path],
    })
    .show()
}

function commandOf(named: string): string {
  if (named !== '') return named
  const folders = workspace.workspaceFolders ?? []
  const own = folders
    .map(({ uri }) => join(uri.fsPath, 'node_modules/.bin/weave'))
    .find(path => existsSync(path))
  return own ?? 'weave'
}
