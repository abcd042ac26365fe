import { dirname, join, resolve } from 'node:path'
import { formatProblem, openRehearsal } from '@weave/runtime'
import { harmless } from 'weave-client'
import { type ExitCode, exitCodes } from '../exit.ts'
import { runArguments } from '../hank-argument.ts'
import type { Arguments } from '../parse-arguments.ts'
import type { Terminal } from '../terminal.ts'
import { runHank } from './run.ts'

/** `weave rehearse [hank] [data]`: a whole run in which only the model is a script. */
export async function rehearseCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const words = await runArguments(args.positionals)
  if ('problem' in words) {
    terminal.error(words.problem)
    return exitCodes.usage
  }
  const { script } = args.texts
  const opened = await openRehearsal({
    file: script === undefined ? besideHank(words.hank) : resolve(script),
    isNamed: script !== undefined,
    strict: args.switches.has('strict'),
  })
  if (!opened.ok) {
    for (const problem of opened.problems) terminal.error(harmless(formatProblem(problem)))
    return exitCodes.failed
  }
  const { rehearsal } = opened
  try {
    terminal.error(`REHEARSAL: no model is asked; ${harmless(rehearsal.description)} answers instead.`)
    terminal.error('Agents, tools, files and checkpoints are real; tokens and costs are simulated.')
    terminal.error('')
    const code = await runHank({ args, terminal, environment: rehearsal.environment(process.env), rehearsal })
    const left = code === exitCodes.done ? rehearsal.leftovers() : []
    for (const problem of left) terminal.error(harmless(formatProblem(problem)))
    return left.length > 0 ? exitCodes.failed : code
  } finally {
    await rehearsal.close()
  }
}

function besideHank(hank = '.'): string {
  const path = resolve(hank)
  return join(path.endsWith('.json') ? dirname(path) : path, 'rehearsal.json')
}
