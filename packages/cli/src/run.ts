import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPlan, createScriptedHarness, execute, type Plan } from '@weave/runtime'
import { describeEvent } from 'weave-client'
import { type ExitCode, exitCodes } from './exit.ts'
import type { Arguments } from './parse-arguments.ts'
import { prepareRun } from './prepare-run.ts'
import { greeting } from './scripted-greeting.ts'
import type { Terminal } from './terminal.ts'
import { report } from './validate/report.ts'

/** `weave [hank]`: checks with `--validate`; otherwise runs, which today only a scripted agent can do. */
export async function runCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  if (args.switches.has('validate'))
    return (await import('./validate/validate.ts')).validateCommand(args, terminal)
  const run = await prepareRun(args)
  if (!run.ok) {
    terminal.error(run.usage)
    return exitCodes.usage
  }
  const { prepared } = run
  const { hank, source } = prepared.loaded
  if (!prepared.ok || !hank || !source) {
    for (const line of report(prepared, { verbose: false, environment: {} })) terminal.error(line)
    return exitCodes.failed
  }
  if (!args.switches.has('scripted')) {
    terminal.error('This version checks hanks and cannot run them yet. Try: weave --validate')
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
