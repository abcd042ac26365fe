import { missingHarnesses } from '@weave/runtime'
import { adoptingArguments, goOnCommand } from '../go-on.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type PreparedRun, prepareRun } from '../prepare-run.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { createWaiting } from '../waiting.ts'
import { execute, type RunContext, type RunOutcome } from './execute.ts'
import { namedRun } from './named-run.ts'

/** From the words on the command line to the end of the run, and of the runs that adopt what was edited meanwhile. */
export async function runHank(asked: RunContext): Promise<ExitCode> {
  const given = asked.args.switches.has('detached') ? await withoutTerminal(asked) : asked
  const outcome = await runOnce(given)
  if (typeof outcome === 'number') return outcome
  return 'notBegun' in outcome ? outcome.notBegun : adoptIn(outcome.adoptIn, given)
}

async function withoutTerminal(given: RunContext): Promise<RunContext> {
  const { detachedContext } = await import('./detached.ts')
  return detachedContext(given)
}

async function runOnce(given: RunContext): Promise<RunOutcome> {
  const context = { ...given, args: recordingArguments(given.args) }
  const { args, terminal } = context
  const clash = adoptClash(args)
  if (clash !== undefined) {
    terminal.error(clash)
    return { notBegun: exitCodes.usage }
  }
  const first = await prepared(context)
  const lacking = first.ok && !given.harnesses ? missingHarnesses(first.prepared) : []
  if (lacking.length > 0) {
    const { offerHarnesses } = await import('../harness/offer.ts')
    const isThere = await offerHarnesses(lacking, { yes: args.switches.has('yes') }, terminal)
    if (!isThere) return { notBegun: exitCodes.failed }
  }
  const run = lacking.length > 0 ? await prepared(context) : first
  if (!run.ok) {
    terminal.error(run.usage)
    return { notBegun: exitCodes.usage }
  }
  return execute(context, run)
}

async function prepared({ args, terminal, environment, rehearsal }: RunContext): Promise<PreparedRun> {
  const waiting = createWaiting(terminal)
  const run = await prepareRun(args, {
    environment,
    redirect: rehearsal?.environment,
    onAsking: (_, providers) => waiting.for(`Asking ${providers.join(', ')}`),
  })
  waiting.done()
  return run
}

/** The same execution again, with the hank as it is now. What cannot be adopted, or is not, leaves it as it was. */
async function adoptIn(dir: string, given: RunContext): Promise<ExitCode> {
  const { terminal } = given
  const named = await namedRun(adoptingArguments(given.args, dir))
  if (!named.ok) {
    terminal.error(named.message)
    return exitCodes.failed
  }
  const outcome = await runOnce({ ...given, args: named.args })
  if (typeof outcome === 'number') return outcome
  if ('adoptIn' in outcome) return adoptIn(outcome.adoptIn, given)
  terminal.error(`Go on with ${goOnCommand({ dir, isRehearsal: given.rehearsal !== undefined }, given.args)}`)
  return outcome.notBegun
}

function adoptClash({ switches }: Arguments): string | undefined {
  if (switches.has('adopt') && switches.has('start-new'))
    return '--adopt and --start-new exclude each other: a new execution begins with the hank as it is.'
  if (switches.has('dry-run') && !switches.has('adopt'))
    return '--dry-run says what --adopt would change: use both, or "weave validate" to check a hank.'
  return undefined
}

/**
 * What recording and replaying mean for the rest of the command line: both begin at the beginning, unless an execution is
 * named; and a replay asks no provider whether key and model are good.
 */
function recordingArguments(args: Arguments): Arguments {
  const { texts, switches } = args
  const { record, replay, execution } = texts
  if (record === undefined && replay === undefined) return args
  return {
    ...args,
    switches: new Set([
      ...switches,
      ...(execution === undefined ? (['start-new'] as const) : []),
      ...(replay === undefined ? [] : (['skip-self-test'] as const)),
    ]),
  }
}
