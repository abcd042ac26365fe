import type { EventData } from '@weave/protocol'
import { errorCode, isObject, messageOf, type Redactor } from '../kit/index.ts'
import type { Completion, CompletionRequest } from '../llm/index.ts'
import { type ConversationTurn, messagesOf, trimmed } from './conversation.ts'
import type { Batch } from './event-batch.ts'
import type { ObservedCodon } from './events.ts'
import { type Account, askWithin, chargeOf, emptyAccount } from './model-calls.ts'
import type { SentinelsOptions } from './options.ts'
import type { Output } from './outputs.ts'
import type { ReadySentinel } from './ready-sentinel.ts'
import type { NotRendered } from './template.ts'

/**
 * What a sentinel does with one trigger: fill in the prompts, ask, emit, keep. `said` is called when the model has
 * answered, before anything is written. Never rejects; ends soon after an abort.
 */
export type Work = (batch: Batch, signal: AbortSignal, said: (output: Said) => void) => Promise<Worked>

export type Said = Pick<
  EventData<'sentinel.output'>,
  'outputType' | 'content' | 'cost' | 'tokens' | 'durationMs'
>
export type Fatal = NonNullable<EventData<'sentinel.unloaded'>['errorType']>

export type Worked = { readonly charge: Account } & (
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly error: EventData<'sentinel.error'>['errorType']
      readonly message: string
      readonly retriable: boolean
      /** It would fail the same way again and again. */
      readonly fatal?: Fatal | undefined
    }
)

interface WorkOptions extends Pick<SentinelsOptions, 'call' | 'clock' | 'redactor'> {
  readonly sentinel: ReadySentinel
  readonly codon: ObservedCodon
  /** Where it keeps what it said; rejects when the disk refuses. Absent: nothing is kept. */
  readonly keep?: ((output: Output) => Promise<void>) | undefined
  /** The conversation so far, and where it is kept. */
  readonly turns: readonly ConversationTurn[]
  readonly keepTurns?: ((turns: readonly ConversationTurn[]) => Promise<void>) | undefined
}

const callLimitMs = 120_000

export function createWork(options: WorkOptions): Work {
  const { sentinel, codon, clock, redactor, keep, keepTurns } = options
  const { config } = sentinel.attached
  let turns = options.turns

  /** After a failure the sentinel has missed something, and begins anew unless it is told to go on. */
  async function remember(turn: ConversationTurn | undefined): Promise<void> {
    if (!config.conversational) return
    if (turn) turns = trimmed([...turns, turn], config.conversational)
    else if (config.conversational.continueOnError !== true) turns = []
    await keepTurns?.(turns)
  }

  return async (batch, signal, said) => {
    const data = { batch, codon, now: clock.now() }
    const user = await sentinel.userPrompt.render(data)
    const system = await sentinel.systemPrompt?.render(data)
    if (!user.ok) return notRendered(user)
    if (system && !system.ok) return notRendered(system)

    const question = { system: system?.text, messages: messagesOf(turns, user.text) }
    const asked = clock.monotonic()
    const answer = await ask(options, question, signal)
    const durationMs = Math.round(clock.monotonic() - asked)
    const charge = chargeOf(answer.tokens, sentinel.model.prices)
    if (!answer.ok) {
      if (!signal.aborted) await remember(undefined).catch(() => undefined)
      return { ok: false, charge, error: 'llm-call-failed', ...callFailure(answer) }
    }
    const output = outputOf(answer, redactor)
    said({ ...emittedAs(output), cost: charge.dollars, tokens: charge.tokens, durationMs })
    try {
      await keep?.(output)
      await remember({ user: user.text, assistant: redactor.text(answer.text) })
      return { ok: true, charge }
    } catch (error) {
      return { ok: false, charge, error: 'file-write-failed', ...writeFailure(error) }
    }
  }
}

function ask(
  { sentinel, call, clock }: WorkOptions,
  { system, messages }: Pick<CompletionRequest, 'system' | 'messages'>,
  signal: AbortSignal,
): Promise<Completion> {
  const { model, key, api, output, attached } = sentinel
  const { temperature, maxOutputTokens, maxRetries } = attached.config.llmParams
  const request = {
    provider: model.provider,
    modelId: model.id,
    dialect: model.dialect,
    key,
    api,
    system: system?.trim() === '' ? undefined : system,
    messages,
    output,
    temperature,
    maxOutputTokens,
    maxRetries,
  }
  return askWithin(deadline => call({ ...request, signal: deadline }), { clock, ms: callLimitMs, signal })
}

function notRendered({ message, lasting }: NotRendered): Worked {
  return {
    ok: false,
    charge: emptyAccount,
    error: 'template-render-failed',
    message: `The prompt could not be filled in: ${message}`,
    retriable: lasting === undefined,
    fatal: lasting,
  }
}

/** A key that is refused and a model that is not there stay so; a request that is refused may be about its text. */
const lasting: ReadonlySet<number | undefined> = new Set([401, 403, 404])

function callFailure({ message, retriable, status }: Extract<Completion, { ok: false }>) {
  return { message, retriable, fatal: lasting.has(status) ? ('configuration' as const) : undefined }
}

const diskIsFull: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EROFS'])

function writeFailure(error: unknown) {
  const message = `What was said could not be written: ${messageOf(error)}`
  const isFull = diskIsFull.has(errorCode(error))
  return { message, retriable: !isFull, fatal: isFull ? ('resource' as const) : undefined }
}

function outputOf({ text, value }: { text: string; value?: unknown }, redactor: Redactor): Output {
  return value === undefined ? { text: redactor.text(text) } : { value: redactor.json(value) }
}

/** On the wire a structured output is an object or a text: a list is put into one. */
function emittedAs(output: Output): Pick<Said, 'outputType' | 'content'> {
  if ('text' in output) return { outputType: 'text', content: output.text }
  const { value } = output
  if (typeof value === 'string') return { outputType: 'structured', content: value }
  return { outputType: 'structured', content: isObject(value) ? value : { items: value } }
}
