import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ToTurn, TurnJob } from 'weave-fleet'
import { commands, defaultCommand } from '../../packages/cli/src/commands.ts'
import { wrongFlagValues } from '../../packages/cli/src/flag-values.ts'
import { runTurn } from '../../packages/cli/src/fleet/turn.ts'
import { parseArguments } from '../../packages/cli/src/parse-arguments.ts'
import { type ExitCode, exitCodes } from '../../packages/cli/src/program.ts'
import type { RunContext } from '../../packages/cli/src/run/execute.ts'
import { runHank } from '../../packages/cli/src/run/run-hank.ts'
import { processTerminal, tolerateClosedPipes } from '../../packages/cli/src/terminal.ts'
import { weave } from '../../packages/cli/src/weave.ts'
import type { Harness, HarnessSpec } from '../../packages/runtime/src/harness/index.ts'
import { scriptedFile } from './scripted-file.ts'
import { createScriptedHarness, type ScriptStep } from './scripted-harness.ts'

/**
 * The command `weave`, with scripted agents in place of those of the SDKs; everything else is real. It needs no key and
 * asks no provider. A program of its own: `scriptedWeave` builds it.
 */

const placeholders = { ANTHROPIC_API_KEY: 'a-key-for-nobody', OPENAI_API_KEY: 'a-key-for-nobody' }

/**
 * An agent that answers, leaves a file that says what it was asked, and waits to be stopped when it was told to hang; told to
 * hang for ever, it does not even hear that it is to stop.
 */
function greeting({ codonId, prompt }: HarnessSpec): readonly ScriptStep[] {
  return [
    { say: `I was asked ${prompt.length} characters' worth and shall write ${codonId}.md.` },
    { write: `${codonId}.md`, content: scriptedFile(codonId, prompt) },
    { usage: { input: Math.ceil(prompt.length / 4), output: 40, dollars: 0 } },
    ...(/Then hang(?: for ever)?\./.test(prompt) ? [{ hang: true } as const] : []),
    { say: 'Done.' },
  ]
}

/** A run with the scripted agents. */
function runScripted(given: RunContext): Promise<ExitCode> {
  const hearing = createScriptedHarness(greeting)
  const harness: Harness = {
    ...hearing,
    start: (spec, signal) =>
      hearing.start(
        spec,
        spec.prompt.includes('Then hang for ever.') ? new AbortController().signal : signal,
      ),
  }
  const shutdownMs = process.env['SCRIPTED_SHUTDOWN_MS']
  return runHank({
    ...given,
    args: { ...given.args, switches: new Set([...given.args.switches, 'skip-self-test']) },
    environment: { ...placeholders, ...given.environment },
    harnesses: { harnessFor: () => harness, close: async () => undefined },
    ...(shutdownMs !== undefined && { shutdownMs: Number(shutdownMs) }),
  })
}

async function scripted(words: readonly string[]): Promise<number> {
  const parsed = parseArguments(words, commands[defaultCommand]?.flags ?? [])
  if (!parsed.ok) {
    processTerminal.error(parsed.message)
    return exitCodes.usage
  }
  const wrong = await wrongFlagValues(parsed.arguments)
  for (const line of wrong) processTerminal.error(line)
  if (wrong.length > 0) return exitCodes.usage
  return runScripted({ args: parsed.arguments, terminal: processTerminal, environment: process.env })
}

/** The turn of a worker. With SCRIPTED_STATES the state that it leaves is kept in that folder: an execution that ends is dropped. */
async function turn(): Promise<number> {
  const kept = process.env['SCRIPTED_STATES']
  let job: TurnJob | undefined
  process.on('message', (message: ToTurn) => {
    if (message.type === 'job') job = message.job
  })
  const code = await runTurn(processTerminal, runScripted)
  if (kept !== undefined && job && existsSync(join(job.execution, '.weave/state.json')))
    copyFileSync(
      join(job.execution, '.weave/state.json'),
      join(kept, `${job.turn.executionId}-${job.turn.epoch}.json`),
    )
  return code
}

tolerateClosedPipes()
const words = process.argv.slice(2)
const isTurn = words[0] === 'fleet-turn'
const isCommand = Object.hasOwn(commands, words[0] ?? '')
const end = isTurn ? turn() : isCommand ? weave(words) : scripted(words)
void end.then(code => {
  process.exitCode = code
})
