import type { EventData, EventType, ServerEvent } from '@weave/protocol'
import { harmlessLine } from './harmless.ts'
import {
  breachAmounts,
  dollarsText,
  durationText,
  exitText,
  type MoneyOptions,
  tokenCountsText,
} from './view-text.ts'

export interface DescribeOptions {
  /** `false`: what it cost is left out of sentences about something else. */
  readonly costs?: boolean
}

/** What happened, in one harmless line of at most `max` characters, without its time. */
export function describeEvent(event: ServerEvent, max = 200, { costs = true }: DescribeOptions = {}): string {
  return harmlessLine(words(event, costs ? priced : unpriced), max)
}

/**
 * The same of an event as a journal has it, whose line proves that a program of ours wrote it: its data are not checked. What
 * an older or newer program wrote otherwise is shown as it is.
 */
export function describeRecorded(
  event: { readonly type: string; readonly data?: unknown },
  max = 200,
): string {
  try {
    if (isDescribed(event)) return describeEvent(event, max)
  } catch {
    // It lacks something that its sentence says.
  }
  return harmlessLine(JSON.stringify(event.data ?? {}), max)
}

function isDescribed(event: { readonly type: string; readonly data?: unknown }): event is ServerEvent {
  return Object.hasOwn(sentences, event.type) && typeof event.data === 'object' && event.data !== null
}

function words<T extends EventType>(event: ServerEvent<T>, price: Price): string {
  const say: (data: EventData<T>, price: Price) => string = sentences[event.type]
  return say(event.data, price)
}

/** The end of a sentence that says what something cost, or nothing. */
type Price = (amount: number, options?: MoneyOptions) => string

const priced: Price = (amount, options) => `, ${dollarsText(amount, options)}`
const unpriced: Price = () => ''

type Sentences = { readonly [T in EventType]: (data: EventData<T>, price: Price) => string }

/** One sentence for each type of event; text from outside becomes harmless where they are used. */
const sentences: Sentences = {
  'server.idle': data => `idle: ${data.message}`,
  'codon.started': data => `codon ${data.codonId} started: ${data.codonName}`,
  'codon.completed': (data, price) =>
    `codon ${data.codonId} ${data.success ? 'completed' : `failed (${failure(data)})`} in ${durationText(data.duration)}${price(data.cost, { unknown: data.costUnknown })}`,
  'state.snapshot': data =>
    `snapshot: ${counted(data.completedCodons.length, 'codon')} done${data.currentCodon ? `, ${data.currentCodon.codonId} ${data.currentCodon.status}` : ''}, ${dollarsText(data.totalCost)}`,
  'token.usage': data =>
    `usage of ${data.codonId}: ${tokenCountsText(data)}; ${dollarsText(data.totalCost)} so far`,
  info: data => data.message,
  error: data => `${data.fatal ? 'fatal error' : (data.severity ?? 'error')}${coded(data)}: ${data.message}`,
  'checkpoint.list': data => `${counted(data.checkpoints.length, 'checkpoint')} of run ${data.runId}`,

  'rollback.started': data =>
    `rollback to ${data.toCodon} (${data.checkpointType}, ${short(data.toCheckpoint)})`,
  'rollback.progress': data => `rollback ${data.currentStep}/${data.totalSteps}: ${data.message}`,
  'rollback.codonCheckpoint': data => `rollback passed ${data.codonId}: ${data.message}`,
  'rollback.rigCleanup': data =>
    `rig cleanup of ${data.codonId} ${data.status}: ${data.directories.join(', ')}`,
  'rollback.completed': data =>
    `rolled back to ${data.codonId} (${data.checkpointType}, ${short(data.checkpoint)}), run ${data.toRun}`,
  'state.transition': data =>
    `${data.transitionType}${data.codonId === undefined ? '' : ` of ${data.codonId}`}`,

  'assistant.action': data =>
    data.action === 'tool_use'
      ? `${data.toolName ?? 'tool'} ${data.toolInput ? JSON.stringify(data.toolInput) : data.content}`
      : `${data.action === 'thinking' ? 'thinking: ' : ''}${data.content}`,
  'tool.result': data =>
    `${data.toolName} ${data.isError ? 'failed' : 'answered'} in ${durationText(data.executionTimeMs)}: ${data.result}`,
  'file.updated': data => `${data.action} ${data.path}`,
  'filetree.updated': () => 'the file tree changed',

  'sentinel.loaded': data => `sentinel ${data.sentinelId} listens to ${data.codonId} (${data.model})`,
  'sentinel.unloaded': (data, price) =>
    `sentinel ${data.sentinelId} left (${data.reason}) after ${callsText(data)}${price(data.finalCost)}`,
  'sentinel.output': data => `sentinel ${data.sentinelId}: ${textOf(data.content)}`,
  'sentinel.error': data => `sentinel ${data.sentinelId} failed (${data.errorType}): ${data.message}`,
  'sentinel.triggered': data =>
    `sentinel ${data.sentinelId} triggered by ${counted(data.eventCount, 'event')}`,

  'server.ready': data =>
    `server ${data.serverVersion} at ${data.executionPath}${data.rehearsal ? ' (rehearsal)' : ''}`,
  pong: data => (data.clientId === undefined ? 'pong' : `pong from ${data.clientId}`),
  'history.batch': data => `${data.events.length} events of the past`,
  'events.selected': data => `events are selected after #${data.lastSeq}`,
  'incomplete.codon': data => `codon ${data.codonId} had not ended: ${data.message}`,

  'run.started': data => `run ${data.runId} of ${data.hankName} started`,
  'run.completed': (data, price) =>
    `run ${data.runId} ${data.status}${data.reason === undefined ? '' : ` (${data.reason})`} in ${durationText(data.duration)}${price(data.totalCost, { unknown: data.costUnknown })}`,
  'rig.output': data => `${data.check ? 'check' : 'rig'} of ${data.codonId}: ${data.text}`,
  'rig.operation': data =>
    `rig of ${data.codonId}: operation ${data.operation + 1} (${data.type}) ${data.ok ? 'done' : 'failed'} in ${durationText(data.durationMs)}`,
  'loop.iteration.completed': (data, price) =>
    `loop ${data.loopId}: iteration ${data.iteration + 1} done in ${durationText(data.duration)}${price(data.cost)}${data.last ? ', the last' : ''}`,
  'codon.extended': data => `codon ${data.codonId} goes on (${data.extension} of ${data.maxExtensions})`,
  'codon.retrying': data =>
    `codon ${data.codonId}: attempt ${data.attempt} of ${data.maxAttempts} in ${durationText(data.delayMs)} (${failure(data)})`,
  'run.parked': data => `codon ${data.codonId} waits until ${data.until}: ${data.reason}`,
  'archive.completed': data => `${counted(data.files.length, 'file')} of ${data.ownerId} archived`,
  'outputs.copied': data => `outputs of ${data.codonId} in ${data.directory}: ${data.files.join(', ')}`,
  'budget.exceeded': data =>
    `budget exceeded${data.codonId === undefined ? '' : ` in ${data.codonId}`}: ${whoseLimit(data)}, ${breachAmounts(data)}`,
  'run.activity': data => activityText(data),
  'preflight.result': data =>
    data.ok ? 'preflight passed' : `preflight found ${data.problems.length} problems`,

  'gate.armed': data => `hold ${data.gateId} ${placeText(data)}${said(data.message)}`,
  'gate.waiting': data =>
    `waiting at gate ${data.gateId}${data.next === undefined ? ' before the end' : ` before ${data.next}`}${said(data.message)}`,
  'gate.decided': data => `gate ${data.gateId} ${decisionText(data)}${said(data.note)}`,
  'rule.fired': data =>
    `rule ${data.ruleId} fired in ${data.codonId}: ${data.do} after ${counted(data.hits, 'hit')}${data.late ? ', too late' : ''}`,

  'fleet.turn': data =>
    `turn ${data.epoch} on ${data.worker}${data.head === 0 ? '' : `, on from head ${data.head}`}${data.lostDollars === undefined ? '' : `; ${dollarsText(data.lostDollars)} in doubt`}`,
  'fleet.published': data => `head ${data.seq} published: ${data.bytes} bytes in ${durationText(data.ms)}`,
  'fleet.waiting': data => `waiting for ${data.for}${data.until === undefined ? '' : ` until ${data.until}`}`,
  'fleet.rest': data => `left behind: ${data.left.map(({ path }) => path).join(', ')}`,
  'fleet.lost': data => `lost to another worker: ${data.why}`,
}

/** All types of events, for who needs their names and not their shapes. */
export const describedTypes = Object.keys(sentences) as readonly EventType[]

function placeText({ before, after }: EventData<'gate.armed'>): string {
  if (after !== undefined) return `after ${after}`
  return before === undefined ? 'before the next codon' : `before ${before}`
}

type Decided = Pick<EventData<'gate.decided'>, 'decision' | 'by' | 'waitedMs'>

/** `approved by ana (cli) after 2 m 3 s`, `expired`. */
export function decisionText({ decision, by, waitedMs }: Decided): string {
  const who = by.user ?? (by.ruleId === undefined ? by.clientId : `rule ${by.ruleId}`)
  const whom = who === undefined ? ` (${by.via})` : ` by ${who} (${by.via})`
  return `${decision}${by.via === 'timeout' ? '' : whom} after ${durationText(waitedMs)}`
}

function said(words: string | undefined): string {
  return words === undefined || words === '' ? '' : `: ${words}`
}

/** `2 calls and a health check`. A health check has no output, so people count without it. */
function callsText({ llmCallCount, healthCheckCount = 0 }: EventData<'sentinel.unloaded'>): string {
  const calls = counted(Math.max(0, llmCallCount - healthCheckCount), 'call')
  if (healthCheckCount === 0) return calls
  return `${calls} and ${healthCheckCount === 1 ? 'a health check' : `${healthCheckCount} health checks`}`
}

/** `its 10 % share of the hank`, `the limit of the loop refine`, `its own limit`. */
function whoseLimit({ scope, share }: EventData<'budget.exceeded'>): string {
  const [kind, loop] = scope.split(':')
  const whole = { hank: 'the hank', loop: `the loop ${loop}` }[kind ?? ''] ?? scope
  if (share === 'rest') return `what the shares of others leave it of ${whole}`
  if (share !== undefined) return `its ${Number(share.toFixed(2))} % share of ${whole}`
  return kind === 'codon' ? 'its own limit' : `the limit of ${whole}`
}

type ActivityWords = Omit<EventData<'run.activity'>, 'codonId'> & { readonly codonId?: string | undefined }

/** `draft: checkpoint: storing files, 12,400 of 50,001`. */
export function activityText(activity: ActivityWords): string {
  const { codonId, text, phase, done, total } = activity
  const isCounted = phase !== 'rig' && done !== undefined && total !== undefined
  const count = isCounted ? `, ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}` : ''
  return `${codonId === undefined ? '' : `${codonId}: `}${text}${count}`
}

function failure(data: Partial<Pick<EventData<'codon.completed'>, 'failureReason' | 'exitStatus'>>): string {
  if (data.failureReason) return data.failureReason.message ?? data.failureReason.type
  return data.exitStatus ? exitText(data.exitStatus) : 'unknown'
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

function coded(data: EventData<'error'>): string {
  return data.code === undefined ? '' : ` ${data.code}`
}

function textOf(content: EventData<'sentinel.output'>['content']): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

/** As much of a sha as people read. */
function short(sha: string): string {
  return sha.slice(0, 8)
}
