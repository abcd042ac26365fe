import { dirname, join, resolve } from 'node:path'
import { formatProblem, openRehearsal, openReplayRehearsal } from '@weave/runtime'
import type { Arguments } from '../parse-arguments.ts'
import { runArguments } from '../prepare-run.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import type { RunContext } from './execute.ts'
import { namedRun } from './named-run.ts'
import { runHank } from './run-hank.ts'
import type { TurnTies } from './turn-ties.ts'

/** `weave rehearse [hank] [data]`: a whole run in which only the model is a script, or a recording. */
export async function rehearseCommand(
  given: Arguments,
  terminal: Terminal,
  told: TurnTies & Pick<RunContext, 'onOpened'> = {},
): Promise<ExitCode> {
  const named = await namedRun(given)
  if (!named.ok) {
    terminal.error(named.message)
    return exitCodes.failed
  }
  const { args } = named
  const words = await runArguments(args.positionals)
  if ('problem' in words) {
    terminal.error(words.problem)
    return exitCodes.usage
  }
  const { script, replay, record } = args.texts
  if (replay !== undefined && (script ?? record) !== undefined) {
    terminal.error(`--replay answers by itself; leave out --${script === undefined ? 'record' : 'script'}.`)
    return exitCodes.usage
  }
  const opened = await openModel(args, words.hank)
  if (!opened.ok) {
    for (const problem of opened.problems) terminal.error(formatProblem(problem))
    return exitCodes.failed
  }
  const { rehearsal } = opened
  try {
    terminal.error(`REHEARSAL: no model is asked; ${rehearsal.description} answers instead.`)
    terminal.error('Agents, tools, files and checkpoints are real; tokens and costs are simulated.')
    terminal.error('')
    const code = await runHank({ ...told, args, terminal, environment: process.env, rehearsal })
    // What another process has not used yet is not left over.
    const isHere = !args.switches.has('detach')
    const left = isHere && code === exitCodes.done ? await rehearsal.leftovers() : []
    for (const problem of left) terminal.error(formatProblem(problem))
    return left.length > 0 ? exitCodes.failed : code
  } finally {
    await rehearsal.close()
  }
}

/** `weave replay <recording> [hank] [data]`. */
export async function replayCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const [recording, ...positionals] = args.positionals
  if (recording === undefined) {
    terminal.error(
      'Name the recording: weave replay <recording> [hank] [data]. "weave --record <dir>" makes one.',
    )
    return exitCodes.usage
  }
  return rehearseCommand({ ...args, positionals, texts: { ...args.texts, replay: recording } }, terminal)
}

/** The script or the recording that answers. */
async function openModel({ texts, switches }: Arguments, hank: string | undefined) {
  const { script, replay, record } = texts
  const strict = switches.has('strict')
  if (replay !== undefined) return openReplayRehearsal({ directory: resolve(replay), strict })
  return openRehearsal({
    file: script === undefined ? besideHank(hank) : resolve(script),
    isNamed: script !== undefined,
    strict,
    throughProxy: record !== undefined,
  })
}

function besideHank(hank = '.'): string {
  const path = resolve(hank)
  return join(path.endsWith('.json') ? dirname(path) : path, 'rehearsal.json')
}
