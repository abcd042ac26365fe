import { chmod, lstat, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { executionHoldings, executionStatus, readLock, systemClock } from '@weave/runtime'
import { confirm } from './confirm.ts'
import { type ChosenExecution, executionBaseOf, findExecution } from './named-execution.ts'
import type { Arguments } from './parse-arguments.ts'
import { type ExitCode, exitCodes } from './program.ts'
import { bytesText, columns, plural, type Terminal } from './terminal.ts'

/** `weave rm <execution…>`: removes executions with all they hold. */
export async function removeCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { execution } = args.texts
  const words = [...args.positionals, ...(execution === undefined ? [] : [execution])]
  if (words.length === 0) {
    terminal.error('Say which: weave rm <execution…>. "weave list" shows which there are.')
    return exitCodes.usage
  }
  const at = { executionBaseDir: await executionBaseOf(args), workingDirectory: process.cwd() }
  const found = await Promise.all(words.map(word => findExecution(word, at)))
  const missing = found.flatMap(each => (each.ok ? [] : [each.message]))
  for (const message of missing) terminal.error(message)
  if (missing.length > 0) return exitCodes.failed
  return removeAll(
    found.flatMap(each => (each.ok ? [each] : [])),
    args,
    terminal,
  )
}

/** After a look and a yes. One in which a server is at work stays. */
export async function removeAll(
  executions: readonly ChosenExecution[],
  args: Arguments,
  terminal: Terminal,
): Promise<ExitCode> {
  const rows = await Promise.all(executions.map(lineOf))
  for (const line of columns(rows, '')) terminal.error(line)
  const question = `Remove ${plural(executions.length, 'execution')}, with journal, checkpoints and workspace, for ever?`
  const agreed = await confirm(question, args.switches.has('yes'), 'leave it')
  if (!agreed.ok) {
    terminal.error(agreed.message)
    return exitCodes.failed
  }
  let removed = 0
  for (const { layout } of executions) {
    const problem = await removeOne(layout)
    if (problem === undefined) removed++
    else terminal.error(problem)
  }
  terminal.out(`Removed ${plural(removed, 'execution')}.`)
  return removed === executions.length ? exitCodes.done : exitCodes.failed
}

async function lineOf({ layout, file }: ChosenExecution): Promise<readonly string[]> {
  const [{ status }, held] = await Promise.all([executionStatus(layout), executionHoldings(layout)])
  const sizes: readonly number[] = Object.values<number>({ ...held })
  const bytes = sizes.reduce((sum, each) => sum + each, 0)
  return [basename(layout.dir), file?.hankName ?? '', status, bytesText(bytes)]
}

/** First under another name, at once, so that no start can begin in what is half gone. Returns why not. */
async function removeOne({ dir, lockFile }: ChosenExecution['layout']): Promise<string | undefined> {
  const lock = await readLock(lockFile, systemClock)
  if (lock.kind === 'held') return `${dir} stays: a run is going on there. "weave stop" ends it.`
  const aside = join(dirname(dir), `.removing-${basename(dir)}`)
  try {
    await rename(dir, aside)
    await rm(aside, { recursive: true, force: true }).catch(async () => {
      await openUp(aside)
      await rm(aside, { recursive: true, force: true })
    })
    return undefined
  } catch (error) {
    return `${dir} cannot be removed: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Agents leave directories that even their owner may not write. Links are not followed. */
async function openUp(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return
  await chmod(path, 0o700)
  for (const name of await readdir(path)) await openUp(join(path, name))
}
