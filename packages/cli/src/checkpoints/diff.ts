import type { StoppedExecution } from '@weave/runtime'
import { harmlessLine } from 'weave-client'
import { paintDiff } from '../colour.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { columns, plural, type Terminal } from '../terminal.ts'
import { openNamed } from './open-execution.ts'

/** `weave diff <a> [b]`: what is different between two checkpoints, or between one and the disk. */
export async function diffCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { switches, positionals } = args
  if (switches.has('plan')) return (await import('./plan-history.ts')).planHistory(args, terminal)
  const [from, to, tooMuch] = positionals
  const chosen = (['stat', 'name-only', 'json'] as const).filter(name => switches.has(name))
  if (from === undefined || tooMuch !== undefined) {
    terminal.error('Say what to compare: weave diff <a> [b], such as: weave diff draft:start draft:end.')
    return exitCodes.usage
  }
  if (chosen.length > 1) {
    terminal.error(`--${chosen.join(' and --')} exclude each other.`)
    return exitCodes.usage
  }
  const opened = await openNamed(args, terminal)
  if (!opened.ok) return opened.code
  const { execution } = opened
  const format = chosen[0] ?? 'text'
  try {
    const wish = { from, to, lines: format === 'stat' || format === 'json', text: format === 'text' }
    const compared = await execution.diff(wish)
    if (compared.ok) print(compared, format, terminal)
    else terminal.error(compared.message)
    return compared.ok ? exitCodes.done : exitCodes.failed
  } finally {
    await execution.close()
  }
}

type Compared = Extract<Awaited<ReturnType<StoppedExecution['diff']>>, { ok: true }>

function print({ from, to, files, text }: Compared, format: string, terminal: Terminal): void {
  if (format === 'json') {
    const rows = files.map(({ before: _before, after: _after, ...file }) => file)
    terminal.json(JSON.stringify({ from, to, files: rows }, null, 2))
    return
  }
  if (format === 'name-only') for (const { path } of files) terminal.out(harmlessLine(path, longestPath))
  if (format === 'stat') for (const line of statLines(files)) terminal.out(line)
  if (text && text.bytes.length > 0) terminal.out(text.bytes.toString('utf8').trimEnd(), paintDiff)
  if (text?.isCut) terminal.error('There is more than can be shown; --stat and --name-only show all files.')
  if (files.length === 0) terminal.error(`${from} and ${to} are alike.`)
}

const longestPath = 4096

function statLines(files: Compared['files']): readonly string[] {
  const rows = files.map(({ path, status, additions = 0, deletions = 0, isBinary }) => [
    harmlessLine(path, longestPath),
    status,
    isBinary ? 'no text' : `+${additions} -${deletions}`,
  ])
  const sum = (lines: 'additions' | 'deletions') => files.reduce((all, file) => all + (file[lines] ?? 0), 0)
  return [...columns(rows, ''), `${plural(files.length, 'file')}, +${sum('additions')} -${sum('deletions')}`]
}
