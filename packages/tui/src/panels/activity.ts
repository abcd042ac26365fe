import {
  activityText,
  type CodonLine,
  clockText,
  currentCodon,
  durationText,
  elapsedOf,
  type GateView,
  harmlessLine,
  type OutlineLine,
  openGate,
  tokensText,
  untilText,
  type View,
} from 'weave-client'
import { type Line, line, span } from '../terminal/line.ts'
import type { Signs } from '../terminal/theme.ts'

export interface ActivityContext {
  readonly view: View
  readonly now: number
  readonly signs: Signs
  readonly costs: boolean
  /** When the connection came into the state in which it is. */
  readonly connectionSince: number
  /** What of the journal has been read, from 0 to 1; undefined: all of it. */
  readonly reading: number | undefined
  readonly leaving: boolean
  /** The run belongs to this screen and ends with it. */
  readonly ownsRun: boolean
  /** Nothing runs and nothing will. */
  readonly atRest: boolean
  readonly canSteer: boolean
  readonly outline: readonly OutlineLine[]
}

/** The one thing that matters most now, in one line. */
export function activityLine(context: ActivityContext): Line {
  const { leaving, ownsRun } = context
  const connection = connectionLine(context)
  if (connection) return connection
  if (leaving && ownsRun)
    return line(
      span(
        ' Ending the run in good order; q once more ends it at once. To leave one going: weave -d, then weave attach.',
        'warn',
      ),
    )
  if (context.atRest) return restLine(context)
  return waitLine(context) ?? codonLine(context) ?? restLine(context)
}

function connectionLine({ view, now, connectionSince, reading, atRest }: ActivityContext): Line | undefined {
  const { connection } = view
  switch (connection.state) {
    case 'open':
      if (reading === undefined) return undefined
      return line(span(` Reading what happened before: ${Math.floor(reading * 100)} %`, 'dim'))
    case 'connecting':
      return line(span(atRest ? ` Reading the journal: ${view.eventCount} events …` : ' Connecting …', 'dim'))
    case 'reconnecting': {
      const left = Math.max(0, Math.ceil((connectionSince + connection.delayMs - now) / 1000))
      const why = connection.reason === '' ? '' : ` (${harmlessLine(connection.reason, 60)})`
      const when = left > 0 ? `in ${left} s` : 'now'
      return line(span(` Connection lost${why}. Trying again ${when}, attempt ${connection.attempt}.`, 'bad'))
    }
    case 'closed':
      return line(
        span(` The server has gone: ${harmlessLine(connection.reason, 120) || connection.code}.`, 'bad'),
      )
  }
}

function waitLine({ view, now }: ActivityContext): Line | undefined {
  const { rollback, waiting } = view
  if (rollback) {
    const steps = rollback.totalSteps > 0 ? ` ${rollback.step} of ${rollback.totalSteps}` : ''
    const to = rollback.toCodon === undefined ? '' : ` to ${harmlessLine(rollback.toCodon, 40)}`
    return line(span(` Going back${to}${steps}: ${harmlessLine(rollback.message, 100)}`, 'warn'))
  }
  if (!waiting) return undefined
  const codonId = harmlessLine(waiting.codonId, 40)
  const reason = harmlessLine(waiting.reason, 160)
  const when = untilText(waiting.until, now)
  if (waiting.kind === 'parked')
    return line(span(` Parked until ${clockText(waiting.until)} (${when}): ${codonId}, ${reason}`, 'warn'))
  return line(
    span(` ${codonId}: attempt ${waiting.attempt} of ${waiting.maxAttempts} ${when} (${reason})`, 'warn'),
  )
}

function codonLine({ view, now, signs, costs }: ActivityContext): Line | undefined {
  const codon = currentCodon(view)
  if (!codon) return undefined
  const since = codon.runningSince === undefined ? 0 : now - Date.parse(codon.runningSince)
  const context = view.context?.codonId === codon.codonId ? view.context.tokens : undefined
  const busy =
    view.activity?.codonId === codon.codonId
      ? activityText({ ...view.activity, codonId: undefined })
      : undefined
  const parts = [
    (busy === undefined ? undefined : harmlessLine(busy, 80)) ?? harmlessLine(codon.model, 40),
    durationText(since),
    ...(codon.attempts > 1 ? [`attempt ${codon.attempts}`] : []),
    ...(costs && context !== undefined ? [`${tokensText(context)} tokens in context`] : []),
  ]
  const name = harmlessLine(codon.name, 60)
  return line(
    span(` ${signs.running} `, 'accent'),
    span(harmlessLine(codon.codonId, 40), 'bold'),
    name === '' || name === codon.codonId ? '' : ` ${name}`,
    span(`${signs.separator}${parts.join(signs.separator)}`, 'dim'),
  )
}

function restLine(context: ActivityContext): Line {
  const { view, now, ownsRun, atRest } = context
  const { summary, idle, activity } = view
  if (activity) return line(span(` ${harmlessLine(activityText(activity), 160)} …`, 'dim'))
  const leave = ownsRun || atRest ? ' q leaves.' : ''
  const took = durationText(elapsedOf(view, now) ?? 0)
  if (summary?.status === 'completed') return line(span(` The hank is done in ${took}.${leave}`, 'good'))
  if (summary?.status === 'failed')
    return line(span(` The run failed: ${harmlessLine(summary.reason ?? 'no reason given', 200)}`, 'bad'))
  if (atRest) {
    const why = summary?.reason === undefined ? '' : `: ${harmlessLine(summary.reason, 120)}`
    return line(span(` ${summary ? 'Stopped' : 'Cut off'} after ${took}${why}.${leave}`, 'warn'))
  }
  const gate = openGate(view)
  if (gate) return line(span(` ${gateWords(gate, context)}`, 'warn'))
  if (idle) return line(span(` ${idleWords(idle, context)}`, 'warn'))
  return line(span(' Waiting for the first codon …', 'dim'))
}

/** What is asked, for how long, and how to answer. */
function gateWords({ gateId, time, asked }: GateView, { canSteer, now }: ActivityContext): string {
  const message = asked?.message === undefined ? '' : `: ${harmlessLine(asked.message, 120)}`
  const since = durationText(Math.max(0, now - Date.parse(time)))
  return `Waiting at gate ${gateId} for ${since}${message}${canSteer ? '  7, then Enter decides' : ''}`
}

/** A server that waits for a client waits for the person at the screen: they are told what the key starts. */
function idleWords(idle: NonNullable<View['idle']>, { canSteer, outline }: ActivityContext): string {
  const next = nextCodon(outline)
  const said = idle.reason === 'startup' ? '' : harmlessLine(idle.message, 160)
  if (!canSteer) return said === '' ? 'Nothing has begun yet.' : said
  const name = next === undefined ? undefined : harmlessLine(next.name || next.codonId, 80)
  return [said, name === undefined ? '' : `n starts ${name}`].filter(text => text !== '').join(' ')
}

/** What a press of `n` starts, as far as the plan tells. */
function nextCodon(outline: readonly OutlineLine[]): CodonLine | undefined {
  const codons = outline.flatMap(item => (item.kind === 'codon' ? [item] : item.ended ? [] : item.codons))
  const last = codons.findLastIndex(({ status }) => status !== 'pending')
  return codons[last + 1]
}
