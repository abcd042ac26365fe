import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { executionBaseOf, isDirectory } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { allowedGroups } from './groups.ts'

/** `weave mcp`: weave as tools for coding agents. A client starts it and speaks with it through its standard streams. */
export async function mcpCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { texts, lists = {}, positionals } = args
  const usage = (message: string): ExitCode => {
    terminal.error(message)
    return exitCodes.usage
  }
  if (positionals.length > 0)
    return usage(`weave mcp takes no words, but found ${positionals.join(' ')}. Directories: --hanks <dir>`)
  const allowed = allowedGroups(texts.allow, texts['max-cost'])
  if (!allowed.ok) return usage(allowed.message)
  const named = (lists.hanks ?? ['.']).map(directory => resolve(directory))
  const missing = named.find(directory => !isDirectory(directory))
  if (missing !== undefined) return usage(`--hanks: ${missing} is no directory.`)
  const { serve } = await import('./serve.ts')
  return serve({
    executionBaseDir: await executionBaseOf(args),
    hankDirs: named.map(directory => realpathSync(directory)),
    workingDirectory: process.cwd(),
    runtimeConfig: texts['runtime-config'] === undefined ? undefined : resolve(texts['runtime-config']),
    maxCost: texts['max-cost'] === undefined ? undefined : Number(texts['max-cost']),
    groups: allowed.groups,
  })
}
