import { homedir } from 'node:os'
import {
  type HarnessWord,
  harnessFolder,
  installableHarnesses,
  installHarness,
  installLine,
  pinOf,
  resolveHarness,
} from '@weave/runtime'
import { agree, canAsk } from '../confirm.ts'
import { type ExitCode, exitCodes, signalCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { createWaiting } from '../waiting.ts'

/** `weave harness add`: says how much it is, asks, installs. What is there in the right version stays as it is. */
export async function addHarnesses(
  words: readonly HarnessWord[],
  { yes }: { readonly yes: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  const wanted = words.filter(word => !isThere(word, terminal))
  if (wanted.length === 0) return exitCodes.done
  for (const word of wanted) terminal.error(`${describe(word)}, into ${harnessFolder(homedir(), word)}`)
  if (!yes && !canAsk()) {
    terminal.error(
      `Nobody is here to answer. To install without a question: weave harness add ${wanted.join(' ')} -y`,
    )
    return exitCodes.failed
  }
  if (yes || (await agree('Install?'))) return installAll(wanted, terminal)
  terminal.error('Nothing was done.')
  return exitCodes.failed
}

/** `Claude Agent SDK 0.3.325 (about 413 MB)`. */
function describe(word: HarnessWord): string {
  const { title, megabytes } = installableHarnesses[word]
  return `${title} ${pinOf(word)} (about ${megabytes} MB)`
}

function isThere(word: HarnessWord, terminal: Terminal): boolean {
  const found = resolveHarness(word)
  if (!found.ok || (found.where === 'home' && found.version !== pinOf(word))) return false
  const { title } = installableHarnesses[word]
  const [folder = ''] = Object.values(found.folders)
  terminal.out(`The ${title} ${found.version} is there: ${folder}`)
  return true
}

/** One after the other. A signal ends it and leaves nothing behind. */
export async function installAll(words: readonly HarnessWord[], terminal: Terminal): Promise<ExitCode> {
  const stop = new AbortController()
  let code: ExitCode | undefined
  const listeners = Object.entries(signalCodes).map(([signal, exitCode]) => {
    const listener = (): void => {
      code ??= exitCode
      stop.abort()
    }
    process.on(signal, listener)
    return () => process.off(signal, listener)
  })
  const waiting = createWaiting(terminal)
  try {
    for (const word of words) {
      const { title } = installableHarnesses[word]
      waiting.for(`Installing the ${title}`)
      const end = await installHarness(word, {
        home: homedir(),
        environment: process.env,
        signal: stop.signal,
      })
      waiting.done()
      if (!end.ok) {
        terminal.error(end.message)
        terminal.error(`Again: ${end.cure}`)
        return code ?? exitCodes.failed
      }
      terminal.out(`Installed the ${title} ${end.version} in ${end.folder}`)
    }
    return exitCodes.done
  } finally {
    waiting.done()
    for (const off of listeners) off()
  }
}

/** What to do where nobody can be asked. */
export function installLines(words: readonly HarnessWord[]): readonly string[] {
  return words.map(word => `  ${installLine(word)}`)
}
