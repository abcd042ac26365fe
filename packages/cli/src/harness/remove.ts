import { homedir } from 'node:os'
import {
  type HarnessWord,
  harnessFolder,
  installableHarnesses,
  removeHarness,
  resolveHarness,
} from '@weave/runtime'
import { confirm } from '../confirm.ts'
import { isDirectory } from '../named-execution.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'

/** `weave harness remove`: only what `weave harness add` installed; packages beside the program are npm's. */
export async function removeHarnesses(
  words: readonly HarnessWord[],
  { yes }: { readonly yes: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  const absent = words.filter(word => !isDirectory(harnessFolder(homedir(), word)))
  for (const word of absent) terminal.error(absence(word))
  if (absent.length > 0) return exitCodes.failed
  for (const word of words) terminal.error(harnessFolder(homedir(), word))
  const agreed = await confirm('Remove this? Hanks that need it cannot run then.', yes, 'leave it')
  if (!agreed.ok) {
    terminal.error(agreed.message)
    return exitCodes.failed
  }
  for (const word of words) {
    const end = await removeHarness(word, homedir())
    if (!end.ok) {
      terminal.error(end.message)
      return exitCodes.failed
    }
    terminal.out(`Removed ${end.folder}`)
  }
  return exitCodes.done
}

function absence(word: HarnessWord): string {
  const { title } = installableHarnesses[word]
  const found = resolveHarness(word)
  if (!found.ok) return `The ${title} is not installed.`
  const [folder = ''] = Object.values(found.folders)
  return `The ${title} is installed beside the program, and npm removes it there: ${folder}`
}
