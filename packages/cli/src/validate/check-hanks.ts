import { join } from 'node:path'
import type { Prepared } from '@weave/runtime'
import type { Arguments } from '../parse-arguments.ts'
import { prepareRun } from '../prepare-run.ts'
import type { Terminal } from '../terminal.ts'
import { createWaiting } from '../waiting.ts'

export interface CheckedHank {
  /** As it stands on the command line. */
  readonly named: string
  readonly prepared: Prepared
}

export interface HanksToCheck {
  readonly hanks: readonly string[]
  readonly data?: string | undefined
}

/** Checks hanks one after the other, each as it would be alone. None named: the one of the working directory. */
export async function checkHanks(
  args: Arguments,
  terminal: Terminal,
  { hanks, data }: HanksToCheck,
): Promise<readonly CheckedHank[]> {
  const waiting = createWaiting(terminal)
  const checked: CheckedHank[] = []
  for (const named of hanks.length > 0 ? hanks : ['.']) {
    const hank = named.endsWith('.json') ? named : join(named, 'hank.json')
    const positionals = data === undefined ? [hank] : [hank, data]
    const run = await prepareRun(
      { ...args, positionals },
      {
        checksData: true,
        onAsking: (_, providers) => waiting.for(`Asking ${providers.join(', ')}`),
      },
    )
    waiting.done()
    if (run.ok) checked.push({ named, prepared: run.prepared })
  }
  return checked
}

/** Where paths are told from: the checkout of a build machine, or here. */
export function rootOf(environment: NodeJS.ProcessEnv, workingDirectory: string): string {
  return environment['GITHUB_WORKSPACE'] || environment['CI_PROJECT_DIR'] || workingDirectory
}
