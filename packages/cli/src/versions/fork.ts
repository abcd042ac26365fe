import { homedir } from 'node:os'
import { basename, resolve } from 'node:path'
import {
  type Forked,
  fork,
  type HankTakeover,
  hankHash,
  prepare,
  type ReadPlace,
  readPlace,
  systemClock,
} from '@weave/runtime'
import { dollarsText } from 'weave-client'
import { goOnCommand } from '../go-on.ts'
import { executionBaseOf, findExecution } from '../named-execution.ts'
import { type Arguments, settingValues } from '../parse-arguments.ts'
import { type ExitCode, exitCodes, version } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { report } from '../validate/report.ts'

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
  const wanted = await takeoverOf(place, args)
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
  const read = await readPlace({ layout: found.layout, environment: process.env, clock: systemClock })
  return read.ok ? read : { ok: false, message: `${read.message}\n${read.cure}` }
}

type Wanted =
  | { readonly ok: true; readonly takeover?: HankTakeover }
  | { readonly ok: false; readonly lines: readonly string[] }

/** The hank that takes over, when one is named, or another model for the one that is there. Keys are checked when it runs. */
async function takeoverOf({ file }: ReadPlace, args: Arguments): Promise<Wanted> {
  const { texts } = args
  const hank = texts['fork-hank']
  if (hank === undefined && texts.model === undefined) return { ok: true }
  const prepared = await prepare({
    hank: hank ?? file.hankPath,
    flags: settingValues(args),
    runtimeConfig: texts['runtime-config'],
    skipSelfTest: true,
    environment: process.env,
    workingDirectory: process.cwd(),
    home: homedir(),
  })
  const { plan, preflight, loaded } = prepared
  if (!plan || !preflight || !loaded.source)
    return { ok: false, lines: report(prepared, { verbose: false, environment: {} }) }
  const { path } = loaded.source
  const hankName = loaded.hank?.meta?.name ?? basename(path, '.json')
  return { ok: true, takeover: { plan, hankPath: path, hankHash: hankHash(loaded.source), hankName } }
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
