import {
  didYouMean,
  type ExecutionLayout,
  nearestNames,
  plannedCodons,
  readEvents,
  readPlans,
} from '@weave/runtime'
import { describeEvent, eventTypes, isEventType } from 'weave-client'
import { chooseExecution } from './named-execution.ts'
import type { Arguments } from './parse-arguments.ts'
import { type ExitCode, exitCodes } from './program.ts'
import type { Terminal } from './terminal.ts'

/** `weave journal [execution]`: what happened in an execution, live or at rest. */
export async function journalCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { texts, switches, positionals } = args
  const types = texts.type?.split(',').map(type => type.trim())
  const unknown = types?.find(type => !isEventType(type))
  if (unknown !== undefined) {
    terminal.error(`There is no event type ${unknown}. There are: ${eventTypes.join(', ')}.`)
    return exitCodes.usage
  }
  const since = texts.since === undefined ? 0 : Number(texts.since)
  if (!Number.isSafeInteger(since) || since < 0) {
    terminal.error('--since takes the number of an event, such as 120.')
    return exitCodes.usage
  }
  const found = await chooseExecution(args, terminal, { word: positionals[0] })
  if (!found.ok) return found.code
  const noCodon = await unknownCodon(texts.codon, found.layout)
  if (noCodon !== undefined) {
    terminal.error(noCodon)
    return exitCodes.failed
  }
  if (switches.has('conversation')) {
    const { printConversation } = await import('./conversation.ts')
    return readable(found.layout, terminal, () =>
      printConversation(found.layout, { codonId: texts.codon, since }, terminal),
    )
  }
  // Transitions say for programs what other events say for people.
  const isShown = (type: string): boolean =>
    switches.has('json') || switches.has('all') || types !== undefined || type !== 'state.transition'
  const query = {
    types: types && new Set(types),
    codonId: texts.codon,
    since,
    follow: switches.has('follow') ? untilInterrupted() : undefined,
  }
  return readable(found.layout, terminal, async () => {
    for await (const read of readEvents(found.layout, query, ({ message }) => terminal.error(message))) {
      if (switches.has('json')) terminal.json(read.text)
      else if (isShown(read.event.type)) terminal.out(journalLine(read.event))
    }
  })
}

/** Says what stands in the way of reading a journal. */
async function readable(
  { journal }: ExecutionLayout,
  terminal: Terminal,
  read: () => Promise<void>,
): Promise<ExitCode> {
  try {
    await read()
    return exitCodes.done
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    terminal.error(`The journal in ${journal} cannot be read: ${why}.`)
    return exitCodes.failed
  }
}

/** Why there can be no event of a codon; nothing while the plan is not known. */
async function unknownCodon(word: string | undefined, layout: ExecutionLayout): Promise<string | undefined> {
  if (word === undefined) return undefined
  const plans = await readPlans(layout).catch(() => [])
  const ids = [...new Set(plans.flatMap(({ plan }) => plannedCodons(plan).map(({ id }) => id)))]
  if (ids.length === 0 || ids.includes(word.replace(/#\d+$/, ''))) return undefined
  return `There is no codon ${word}.${didYouMean(nearestNames(word, ids))} There are: ${ids.join(', ')}.`
}

/** One event in a line, for people. */
export function journalLine(event: Parameters<typeof describeEvent>[0]): string {
  return `${String(event.seq).padStart(6)} ${event.timestamp} ${event.type.padEnd(18)} ${describeEvent(event)}`
}

function untilInterrupted(): AbortSignal {
  const controller = new AbortController()
  process.once('SIGINT', () => controller.abort())
  process.once('SIGTERM', () => controller.abort())
  return controller.signal
}
