import { basename } from 'node:path'
import {
  executionStatus,
  type Holdings,
  listExecutions,
  removeOldParts,
  systemClock,
  type Tidied,
  tidyExecution,
} from '@weave/runtime'
import { executionBaseOf, findExecution } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { bytesText, columns, type Terminal } from '../terminal.ts'

/** `weave gc [execution…]`: packs checkpoints, says what each execution holds, drops old leftovers when asked to. */
export async function gcCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { texts, switches } = args
  const pruneOlderThanMs = texts.prune === undefined ? undefined : parseAge(texts.prune)
  if (texts.prune !== undefined && pruneOlderThanMs === undefined) {
    terminal.error('--prune takes an age, such as 7d, 12h or 30m.')
    return exitCodes.usage
  }
  const { 'older-than': olderThan } = texts
  if (olderThan !== undefined) return removeOlder(olderThan, args, terminal)
  const layouts = await layoutsOf(args)
  if (!layouts.ok) {
    terminal.error(layouts.message)
    return exitCodes.failed
  }
  const rows: { readonly dir: string; readonly tidied: Tidied }[] = []
  for (const layout of layouts.layouts) {
    const options = { layout, environment: process.env, clock: systemClock, pruneOlderThanMs }
    rows.push({ dir: layout.dir, tidied: await tidyExecution(options) })
  }
  if (switches.has('json'))
    terminal.json(
      JSON.stringify(
        rows.map(({ dir, tidied }) => ({ dir, ...tidied })),
        null,
        2,
      ),
    )
  else if (rows.length === 0) terminal.out('There are no executions.')
  else for (const line of columns([heads, ...rows.map(cells)], '')) terminal.out(line)
  for (const { dir, tidied } of rows)
    if (!tidied.ok) terminal.error(`${dir} was left alone: ${tidied.message}`)
  return exitCodes.done
}

/** With `--older-than`: whole executions, by when they were used last. */
async function removeOlder(text: string, args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const age = parseAge(text)
  if (age === undefined || args.texts.prune !== undefined) {
    terminal.error('--older-than takes an age, such as 30d, and no --prune beside it.')
    return exitCodes.usage
  }
  const executionBaseDir = await executionBaseOf(args)
  const { executions } = await listExecutions({ executionBaseDir, clock: systemClock })
  const before = Date.now() - age
  const isOld = await Promise.all(
    executions.map(async ({ layout, file, lock }) => {
      const { endedAt = file.lastUsed } = await executionStatus(layout)
      return lock.kind !== 'held' && Math.max(Date.parse(endedAt), Date.parse(file.lastUsed)) < before
    }),
  )
  const old = executions.filter((_, at) => isOld[at])
  if (old.length === 0) {
    terminal.out(`No execution is older than ${text}.`)
    return exitCodes.done
  }
  return (await import('../remove.ts')).removeAll(old, args, terminal)
}

type Layout = Parameters<typeof tidyExecution>[0]['layout']
type Layouts =
  | { readonly ok: true; readonly layouts: readonly Layout[] }
  | { readonly ok: false; readonly message: string }

async function layoutsOf(args: Arguments): Promise<Layouts> {
  const executionBaseDir = await executionBaseOf(args)
  const { execution } = args.texts
  const words = [...args.positionals, ...(execution === undefined ? [] : [execution])]
  if (words.length === 0) {
    const { executions } = await listExecutions({ executionBaseDir, clock: systemClock })
    // What a killed fork left: no execution, so no person can name it.
    await removeOldParts(executionBaseDir, systemClock.now())
    return { ok: true, layouts: executions.map(({ layout }) => layout) }
  }
  const at = { executionBaseDir, workingDirectory: process.cwd() }
  const found = await Promise.all(words.map(word => findExecution(word, at)))
  const missing = found.find(each => !each.ok)
  if (missing && !missing.ok) return missing
  return { ok: true, layouts: found.flatMap(each => (each.ok ? [each.layout] : [])) }
}

const parts = [
  'journal',
  'checkpoints',
  'sessions',
  'agents',
  'removed',
  'archive',
  'workspace',
] as const satisfies readonly (keyof Holdings)[]
const heads = [...parts.map(part => part.toUpperCase()), 'SAVED', 'EXECUTION']

function cells({ dir, tidied }: { readonly dir: string; readonly tidied: Tidied }): readonly string[] {
  const now = tidied.ok ? tidied.after : tidied.before
  const saved = tidied.ok ? bytesText(Math.max(0, tidied.before.checkpoints - now.checkpoints)) : '-'
  return [...parts.map(part => bytesText(now[part])), saved, basename(dir)]
}

const units: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** Milliseconds of an age such as `7d`; undefined for what is none. */
export function parseAge(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  return number === undefined || unit === undefined ? undefined : Number(number) * (units[unit] ?? 0)
}
