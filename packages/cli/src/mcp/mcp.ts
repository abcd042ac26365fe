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
  const isHttp = args.switches.has('http')
  const port = isHttp ? portIn(positionals) : 0
  if (port === undefined)
    return usage(`--http takes one port from 0 to 65535, but found ${positionals.join(' ')}.`)
  if (!isHttp && positionals.length > 0)
    return usage(`weave mcp takes no words, but found ${positionals.join(' ')}. Directories: --hanks <dir>`)
  const allowed = allowedGroups(texts.allow, texts['max-cost'])
  if (!allowed.ok) return usage(allowed.message)
  const named = (lists.hanks ?? ['.']).map(directory => resolve(directory))
  const missing = named.find(directory => !isDirectory(directory))
  if (missing !== undefined) return usage(`--hanks: ${missing} is no directory.`)
  const given = {
    executionBaseDir: await executionBaseOf(args),
    hankDirs: named.map(directory => realpathSync(directory)),
    workingDirectory: process.cwd(),
    runtimeConfig: texts['runtime-config'] === undefined ? undefined : resolve(texts['runtime-config']),
    maxCost: texts['max-cost'] === undefined ? undefined : Number(texts['max-cost']),
    groups: allowed.groups,
  }
  if (isHttp) return (await import('./serve-http.ts')).serveHttp(given, port)
  return (await import('./serve.ts')).serve(given)
}

/** The word behind `--http`, if there is one; undefined: it is no port. */
function portIn([word = '0', ...rest]: readonly string[]): number | undefined {
  const isPort = /^\d{1,5}$/.test(word) && Number(word) <= 65_535 && rest.length === 0
  return isPort ? Number(word) : undefined
}
