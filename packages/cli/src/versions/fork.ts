import { basename, resolve } from 'node:path'
import { type Forked, fork, type ReadPlace, readPlace, systemClock } from '@weave/runtime'
import { dollarsText } from 'weave-client'
import { goOnCommand } from '../go-on.ts'
import { executionBaseOf, findExecution } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes, version } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import type { Wanted } from './fork-takeover.ts'

/** `weave fork [execution] --at <checkpoint>`: a new execution that begins as another was at a checkpoint. */
export async function forkCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { positionals, texts, switches } = args
  const [word, more] = positionals
  if (texts.at === undefined || more !== undefined) {
    terminal.error(
      'Say where to begin: weave fork [execution] --at <checkpoint>, such as: weave fork --at draft',
    )
    return exitCodes.usage
  }
  const read = await sourceOf(word, args)
  if (!read.ok) {
    terminal.error(read.message)
    return exitCodes.failed
  }
  const { place } = read
  const wanted = await wantedBy(args, place)
  if (!wanted.ok) {
    for (const line of wanted.lines) terminal.error(line)
    return exitCodes.failed
  }
  const result = await fork(place, {
    at: texts.at,
    executionBaseDir: await executionBaseOf(args),
    directory: texts['fork-to'] === undefined ? undefined : resolve(texts['fork-to']),
    takeover: wanted.takeover,
    withUntracked: switches.has('with-untracked'),
    rehearse: switches.has('fork-rehearse'),
    weaveVersion: version,
  })
  if (!result.ok) {
    terminal.error(`${result.message}\n${result.cure}`)
    return exitCodes.failed
  }
  print(result.forked, place, { args, terminal })
  return goesOn(switches) ? goOn(result.forked, args, terminal) : exitCodes.done
}

type Source =
  | { readonly ok: true; readonly place: ReadPlace }
  | { readonly ok: false; readonly message: string }

/** `-e` says where the fork goes, so the execution that it comes from is the word. */
async function sourceOf(word: string | undefined, args: Arguments): Promise<Source> {
  const executionBaseDir = await executionBaseOf(args)
  const found = await findExecution(word, { executionBaseDir, workingDirectory: process.cwd() })
  if (!found.ok) return found
  const read = await readPlace({
    layout: found.layout,
    environment: process.env,
    clock: systemClock,
    surveys: true,
  })
  return read.ok ? read : { ok: false, message: `${read.message}\n${read.cure}` }
}

/** Who wants it to go on as it was need not load what knows hanks: that takes longer than to make a small fork. */
async function wantedBy(args: Arguments, place: ReadPlace): Promise<Wanted> {
  if (args.texts['fork-hank'] === undefined && args.texts.model === undefined) return { ok: true }
  return (await import('./fork-takeover.ts')).takeoverOf(place, args)
}

interface Talk {
  readonly args: Arguments
  readonly terminal: Terminal
}

function print(forked: Forked, { layout }: ReadPlace, { args, terminal }: Talk): void {
  const { dir, label, next, origin, notes, isRehearsal } = forked
  if (args.switches.has('json')) {
    terminal.json(JSON.stringify({ dir, next: next ?? null, isRehearsal, notes, origin }, null, 2))
    return
  }
  const money = `${isRehearsal ? 'simulated ' : ''}${dollarsText(origin.inheritedCost)} inherited`
  terminal.out(`Forked  ${basename(dir)}  from ${basename(layout.dir)} at ${label}`)
  terminal.out(
    `Next    ${next ? `${next.codonId} (${next.model})` : 'nothing: everything is done'} · ${money}`,
  )
  for (const note of notes) terminal.error(note)
  if (!goesOn(args.switches)) terminal.out(`Run it: ${goOnCommand({ dir, isRehearsal })}`)
}

function goesOn(switches: Arguments['switches']): boolean {
  return switches.has('fork-run') || switches.has('detach')
}

/** What is said of the fork is not said again to its run. */
const ofTheFork: ReadonlySet<string> = new Set(['fork-run', 'fork-rehearse', 'with-untracked', 'json'])

async function goOn({ dir, isRehearsal }: Forked, args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { model: _, at: _at, 'fork-hank': _hank, 'fork-to': _to, ...texts } = args.texts
  const switches = new Set([...args.switches].filter(name => !ofTheFork.has(name)))
  const own: Arguments = { positionals: [], switches, texts: { ...texts, execution: dir } }
  if (isRehearsal) return (await import('../run/rehearse.ts')).rehearseCommand(own, terminal)
  return (await import('../run/run.ts')).runCommand(own, terminal)
}
