import { dirname, resolve } from 'node:path'
import { filesAhead, systemClock } from '@weave/runtime'
import { executionBaseOf, findDirectory } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { keepV8Flags, rareOptimizing } from '../v8-flags.ts'

/**
 * `weave fork [execution] --at <checkpoint>`: a new execution that begins as another was at a checkpoint. While git writes the
 * files that are probably meant, the rest of the command is loaded.
 */
export async function forkCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { positionals, texts } = args
  const [word, more] = positionals
  const { at } = texts
  if (at === undefined || more !== undefined) {
    terminal.error(
      'Say where to begin: weave fork [execution] --at <checkpoint>, such as: weave fork --at draft',
    )
    return exitCodes.usage
  }
  // Two cores are what git and this process need.
  keepV8Flags(rareOptimizing)
  const executionBaseDir = await executionBaseOf(args)
  // `-e` says where the fork goes, so the execution that it comes from is the word.
  const found = await findDirectory(word, { executionBaseDir, workingDirectory: process.cwd() })
  if (!found.ok) {
    terminal.error(found.message)
    return exitCodes.failed
  }
  const { layout } = found
  const to = texts['fork-to']
  const directory = to === undefined ? undefined : resolve(to)
  const beside = directory === undefined ? executionBaseDir : dirname(directory)
  const ahead = filesAhead({ layout, at, beside, environment: process.env, clock: systemClock })
  const wish = { at, executionBaseDir, directory, ahead }
  // A run in this process would check millions.
  if (!args.switches.has('fork-run')) (await import('./few-checks.ts')).checkFew()
  const { forkFrom, tellForked } = await import('./fork-made.ts')
  const make = async () => {
    try {
      return await forkFrom(layout, wish, args)
    } finally {
      await ahead?.drop()
    }
  }
  const made = await make()
  if (made.ok) return tellForked(made.forked, layout, { args, terminal })
  for (const line of made.lines) terminal.error(line)
  return exitCodes.failed
}
