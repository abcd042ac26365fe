import type { OwnPrograms, Program } from '@weave/runtime'

/** This program again, as one of the processes that a run needs besides the server. */
export function ownPrograms(): OwnPrograms {
  return { agentWorker: asCommand('agent-worker'), warden: asCommand('warden') }
}

/** Another command of this program. */
export function asCommand(name: string): Program {
  const [, script = ''] = process.argv
  return { command: process.execPath, args: [...process.execArgv, script, name] }
}

/** The same for a thread: where the templates of sentinels are computed. */
export function sandboxEntry(): { readonly file: string; readonly argv: readonly string[] } {
  return { file: process.argv[1] ?? '', argv: ['sentinel-sandbox'] }
}
