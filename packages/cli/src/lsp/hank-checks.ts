import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { checkScript, type Prepared, type Problem, prepare, systemClock } from '@weave/runtime'
import type { OpenFiles } from './open-files.ts'

/** What an editor may say of how hanks are run here. */
export interface CheckOptions {
  readonly model?: string | undefined
  readonly runtimeConfig?: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
}

export interface CheckedHank {
  readonly hank: string
  readonly prepared: Prepared
  /** Their files are relative to the directory of the hank. */
  readonly problems: readonly Problem[]
}

/** Checks hanks as they stand in the editor. */
export interface HankChecks {
  /** Something changed: it is checked after a pause in which nothing more comes. */
  changed(hank: string): void
  /** What the last check of a hank found; undefined before the first. */
  last(hank: string): CheckedHank | undefined
  /** It is not open any more: nothing of it is kept, and a check that is due is not made. */
  forget(hank: string): void
  /** After the checks that are due now. */
  settled(): Promise<void>
  close(): void
}

interface HankChecksOptions {
  readonly files: OpenFiles
  readonly options: CheckOptions
  /** Not told of a check that was overtaken by a change. */
  readonly found: (checked: CheckedHank) => void
  readonly failed: (hank: string, error: unknown) => void
}

/** So long nothing may be typed before a check. Milliseconds. */
const pause = 150

/** One check at a time, the newest text wins, and never more than one waits for each hank. */
export function createHankChecks({ files, options, found, failed }: HankChecksOptions): HankChecks {
  const due = new Map<string, NodeJS.Timeout>()
  const versions = new Map<string, number>()
  const results = new Map<string, CheckedHank>()
  let changes = 0
  let queue: Promise<void> = Promise.resolve()

  async function check(hank: string): Promise<void> {
    const version = versions.get(hank)
    if (version === undefined) return
    try {
      const checked = await checkHank(hank, files, options)
      if (versions.get(hank) !== version) return
      results.set(hank, checked)
      found(checked)
    } catch (error) {
      failed(hank, error)
    }
  }

  function begin(hank: string): void {
    due.delete(hank)
    queue = queue.then(() => (due.has(hank) ? undefined : check(hank)))
  }

  return {
    changed(hank) {
      versions.set(hank, ++changes)
      clearTimeout(due.get(hank))
      due.set(
        hank,
        setTimeout(() => begin(hank), pause),
      )
    },
    last: hank => results.get(hank),
    forget(hank) {
      clearTimeout(due.get(hank))
      for (const kept of [due, versions, results]) kept.delete(hank)
    },
    async settled() {
      while (due.size > 0) await systemClock.sleep(pause / 3)
      await queue
    },
    close() {
      for (const timer of due.values()) clearTimeout(timer)
      due.clear()
    },
  }
}

/** As `weave validate --skip-self-test` beside the hank would, but for what belongs to this machine and not to the hank. */
async function checkHank(hank: string, files: OpenFiles, options: CheckOptions): Promise<CheckedHank> {
  const directory = dirname(hank)
  const { model, runtimeConfig, environment } = options
  const prepared = await prepare({
    hank: basename(hank),
    workingDirectory: directory,
    home: homedir(),
    flags: model === undefined ? [] : [{ flag: '--model', field: 'model', value: model }],
    runtimeConfig,
    environment,
    skipSelfTest: true,
    overlay: files.overlay,
  })
  const script = files.textOf(join(directory, scriptName))
  const scriptProblems = script === undefined ? [] : checkScript(Buffer.from(script), scriptName).problems
  const problems = prepared.problems.filter(({ code }) => !isOfMachine(code))
  return { hank, prepared, problems: [...problems, ...scriptProblems] }
}

export const scriptName = 'rehearsal.json'

/** Whether a problem is one of keys, agents and data that are here or not: no change of a hank mends it. */
function isOfMachine(code: string): boolean {
  return code === 'key/missing' || /^(?:harness|selftest|data)\//.test(code)
}
