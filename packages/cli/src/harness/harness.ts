import { harnessWords, isHarnessWord, nearestNames } from '@weave/runtime'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { addHarnesses } from './add.ts'
import { listHarnesses } from './list.ts'
import { removeHarnesses } from './remove.ts'

/** `weave harness list|add|remove`: the agents that hanks run on. */
export async function harnessCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const [deed = '', ...names] = args.positionals
  if (deed === 'list' && names.length === 0) return listHarnesses(args.switches.has('json'), terminal)
  const unknown = names.find(name => !isHarnessWord(name))
  if ((deed !== 'add' && deed !== 'remove') || names.length === 0 || unknown !== undefined) {
    for (const line of usageLines(deed, unknown)) terminal.error(line)
    return exitCodes.usage
  }
  const words = [...new Set(names)].filter(isHarnessWord)
  const yes = args.switches.has('yes')
  return deed === 'add' ? addHarnesses(words, { yes }, terminal) : removeHarnesses(words, { yes }, terminal)
}

function usageLines(deed: string, unknown: string | undefined): readonly string[] {
  const known = harnessWords.join(', ')
  const [near = harnessWords[0] ?? ''] = unknown === undefined ? [] : nearestNames(unknown, harnessWords)
  const first =
    unknown === undefined
      ? `Say what to do with which harness; there are: ${known}.`
      : `There is no harness ${unknown}; there are: ${known}.`
  const verb = deed === 'remove' ? 'remove' : 'add'
  return [first, '', '  weave harness list', `  weave harness ${verb} ${near}`]
}
