import { join } from 'node:path'
import { emptyState } from '@weave/protocol'
import type { Harness } from './harness/index.ts'
import { type Listener, openJournal } from './journal/index.ts'
import { createRedactor, ensureDir, secretsOf, systemClock } from './kit/index.ts'
import type { Plan } from './plan/index.ts'
import { createRecorder, type RunEnd, run } from './runner/index.ts'

export interface ExecutionOptions {
  readonly plan: Plan
  readonly harness: Harness
  /** The execution directory; made if it is not there. */
  readonly dir: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly onEvent: Listener
  readonly signal: AbortSignal
}

/** Runs one hank in one execution directory. The only place that sees every room. */
export async function execute(options: ExecutionOptions): Promise<RunEnd> {
  const { plan, harness, dir, environment, signal } = options
  const clock = systemClock
  const agentRoot = join(dir, 'agentRoot')
  await ensureDir(dir)
  await ensureDir(agentRoot)
  const redactor = createRedactor(secretsOf(environment))
  const journal = await openJournal({ dir: join(dir, '.weave', 'journal'), clock, redactor })
  journal.subscribe(options.onEvent)
  try {
    const recorder = createRecorder(journal, redactor, emptyState)
    return await run({ plan, journal, recorder, harness, clock, agentRoot, env: {}, signal })
  } finally {
    await journal.close()
  }
}
