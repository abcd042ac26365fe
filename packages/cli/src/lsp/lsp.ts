import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'

/** `weave lsp --stdio`: a language server for hanks. An editor starts it and speaks with it through its standard streams. */
export async function lspCommand({ switches }: Arguments, terminal: Terminal): Promise<ExitCode> {
  if (!switches.has('stdio')) {
    terminal.error('An editor starts this: weave lsp --stdio. See docs/editors.md for how to set one up.')
    return exitCodes.usage
  }
  const { serve } = await import('./server.ts')
  return serve()
}
