import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPlan, createScriptedHarness, execute, formatProblem, loadHank, type Plan } from '@weave/runtime'
import { describeEvent } from 'weave-client'
import { type ExitCode, exitCodes } from './exit.ts'
import type { Arguments } from './parse-arguments.ts'
import { greeting } from './scripted-greeting.ts'
import type { Terminal } from './terminal.ts'

/** `weave [hank]`: load, plan, run, and say what happens while it does. */
export async function runCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { hank, source, problems } = await loadHank(args.positionals[0], {
    workingDirectory: process.cwd(),
    environment: process.env,
    priceOf: () => undefined,
  })
  for (const problem of problems) terminal.error(formatProblem(problem))
  if (!hank || !source) return exitCodes.failed
  if (!args.switches.has('scripted')) {
    terminal.error(
      'No agent is built in yet: this version checks hanks and runs the examples with a scripted agent.',
    )
    return exitCodes.failed
  }
  return runPlan(buildPlan({ hank, path: source.path, directory: source.directory }), args, terminal)
}

async function runPlan(plan: Plan, args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const dir = args.texts.execution ?? (await mkdtemp(join(tmpdir(), 'weave-')))
  const json = args.switches.has('json')
  terminal.error(
    `${plan.hankName}: ${plan.items.length} codon(s), worked on by a scripted agent, not by a model.`,
  )
  const end = await execute({
    plan,
    dir,
    harness: createScriptedHarness(greeting),
    environment: process.env,
    signal: new AbortController().signal,
    onEvent: ({ event, text }) => {
      if (json) terminal.out(text)
      else if (event.type !== 'state.transition') terminal.out(describeEvent(event))
    },
  })
  const files = await readdir(join(dir, 'agentRoot'))
  terminal.error(`Workspace: ${join(dir, 'agentRoot')} (${files.join(', ')})`)
  terminal.error(`Journal:   ${join(dir, '.weave', 'journal')}`)
  return end === 'completed' ? exitCodes.done : exitCodes.failed
}
