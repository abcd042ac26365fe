import { basename } from 'node:path'
import {
  type ExecutionLayout,
  type Forked,
  type ForkWish,
  fork,
  type ReadPlace,
  readPlace,
  systemClock,
} from '@weave/runtime'
import { dollarsText } from 'weave-client'
import { goOnCommand } from '../go-on.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes, version } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import type { Wanted } from './fork-takeover.ts'

type Wish = Pick<ForkWish, 'at' | 'executionBaseDir' | 'directory' | 'ahead'>

type Made =
  | { readonly ok: true; readonly forked: Forked }
  | { readonly ok: false; readonly lines: readonly string[] }

/** What the words of a person ask for, made. */
export async function forkFrom(layout: ExecutionLayout, wish: Wish, args: Arguments): Promise<Made> {
  const { switches } = args
  const read = await readPlace({ layout, environment: process.env, clock: systemClock, surveys: true })
  if (!read.ok) return { ok: false, lines: [read.message, read.cure] }
  const { place } = read
  const wanted = await wantedBy(args, place)
  if (!wanted.ok) return wanted
  const result = await fork(place, {
    ...wish,
    takeover: wanted.takeover,
    withUntracked: switches.has('with-untracked'),
    rehearse: switches.has('fork-rehearse'),
    weaveVersion: version,
  })
  return result.ok ? result : { ok: false, lines: [result.message, result.cure] }
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

/** Says what there is now, and goes on with it when that was asked for. */
export async function tellForked(forked: Forked, from: ExecutionLayout, talk: Talk): Promise<ExitCode> {
  print(forked, from, talk)
  return goesOn(talk.args.switches) ? goOn(forked, talk.args, talk.terminal) : exitCodes.done
}

function print(forked: Forked, from: ExecutionLayout, { args, terminal }: Talk): void {
  const { dir, label, next, origin, notes, isRehearsal } = forked
  if (args.switches.has('json')) {
    terminal.json(JSON.stringify({ dir, next: next ?? null, isRehearsal, notes, origin }, null, 2))
    return
  }
  const money = `${isRehearsal ? 'simulated ' : ''}${dollarsText(origin.inheritedCost)} inherited`
  terminal.out(`Forked  ${basename(dir)}  from ${basename(from.dir)} at ${label}`)
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
