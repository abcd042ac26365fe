import { basename } from 'node:path'
import type { Journal } from '../journal/index.ts'
import { type Log, type Redactor, type Scope, systemClock } from '../kit/index.ts'
import type { NotifyConfig } from '../notify/index.ts'
import type { Plan } from '../plan/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'

/** Who wants to be told of the run. */
export interface NotifySetup {
  readonly config: NotifyConfig
  /** Says to a person, at the start, what cannot be used. */
  readonly say: (line: string) => void
  /** Writes to the terminal in which a person sees the run; absent: there is none. */
  readonly write?: ((bytes: string) => void) | undefined
}

export interface NotifyingOptions {
  readonly setup: NotifySetup | undefined
  readonly hankName: string
  readonly plan: Plan
  readonly layout: ExecutionLayout
  readonly journal: Journal
  readonly redactor: Redactor
  readonly log: Log
  readonly assertHeld: () => void
}

/** Tells people of the run until the scope ends. Loads nothing when nobody wants to know. */
export async function openNotifying(options: NotifyingOptions, scope: Scope): Promise<void> {
  const { setup, plan, layout, journal, hankName } = options
  if (!setup || setup.config.targets.length === 0) return
  const { startNotifier } = await import('../notify/index.ts')
  const notifier = await startNotifier({
    ...options,
    ...setup,
    origin: { execution: basename(layout.dir), hank: hankName },
    limit: dollarLimit(plan),
    notifiedFile: layout.notifiedFile,
    clock: systemClock,
    // A person's own programs and addresses, in their own environment.
    environment: process.env,
    warn: message => void journal.append('error', { message, fatal: false, severity: 'warning' }),
  })
  scope.add('notify', () => notifier.close())
}

/** The lowest limit in dollars on the whole run. */
function dollarLimit({ budget, ceilings }: Plan) {
  const own = budget?.maxDollars
  const given = ceilings?.maxDollars
  if (given && (own === undefined || given.value < own)) return { scope: given.origin, dollars: given.value }
  return own === undefined ? undefined : { scope: 'hank', dollars: own }
}
