import { type Clock, createAsyncQueue, fieldOf, inTime, type Log, listOf, textOf } from '../../kit/index.ts'
import type { Meter, OpenMeter } from '../../proxy/index.ts'
import { type BadEnd, crashed, failedWith, stopped } from '../failure.ts'
import type { HarnessEnd, HarnessEvent, HarnessSpec } from '../harness.ts'
import { type AgentHome, newSessionId, writeFiles } from './agent-home.ts'
import { type AgentProcess, startAgentProcess } from './agent-process.ts'
import { agentEnvironment, type FilledRow } from './fill-row.ts'
import type { RpcAnswer } from './json-rpc.ts'
import { createMeteredTurns, createOwnCosts } from './metered-turns.ts'
import { openSession } from './open-session.ts'
import type { NamedAgent } from './resolve-agent.ts'
import { createTranslate } from './translate.ts'

export interface AgentTask {
  readonly agent: NamedAgent
  readonly program: readonly [string, ...string[]]
  readonly spec: HarnessSpec
  readonly signal: AbortSignal
  readonly home: AgentHome
  /** The row for an address; without one the agent has a login of its own. */
  readonly fill: (url: string) => FilledRow
  /** Where its provider is asked; undefined when nobody knows. */
  readonly upstream: string | undefined
  readonly openMeter: OpenMeter
  readonly own: ((leader: number) => () => void) | undefined
  readonly clock: Clock
  readonly log: Log
}

/** What comes to pass while an agent works, in the order in which it does. */
type Happening =
  | { readonly kind: 'event'; readonly event: HarnessEvent }
  | { readonly kind: 'turn'; readonly answer: RpcAnswer }
  | { readonly kind: 'verdict'; readonly end: BadEnd }
  /** Everything before this has been taken. */
  | { readonly kind: 'mark'; readonly reached: () => void }

const cancelMs = 5_000
/** A sign of life says nothing new more often than that. */
const signEveryMs = 1_000

/** See `Harness`. */
export async function* runAgent(task: AgentTask): AsyncGenerator<HarnessEvent, void, void> {
  const { signal, home, spec } = task
  if (signal.aborted) {
    yield { type: 'ended', end: stopped }
    return
  }
  const opened = await home.open(spec.previousSessionId)
  if (!opened) {
    const message = `The session ${spec.previousSessionId} to go on from is not there.`
    yield { type: 'ended', end: failedWith({ kind: 'lost-session', message }) }
    return
  }
  const happenings = createAsyncQueue<Happening>()
  const watch = createWatch(task, happening => void happenings.put(happening))
  const metered = await meterFor(task, watch)
  if (!metered.ok) {
    yield { type: 'ended', end: failedWith({ kind: 'launch', message: metered.message }) }
    return
  }
  let end: HarnessEnd | undefined
  const run = await launch(task, { watch, meter: metered.meter })
  try {
    end = yield* work({
      ...task,
      ...run,
      happenings,
      watch,
      meter: metered.meter,
      agentSessionId: opened.agentSessionId,
    })
  } finally {
    await (end?.ok === true ? run.process.leave() : run.process.stop())
    await metered.meter?.close()
    await home.keep()
  }
  yield { type: 'ended', end }
}

type Watch = ReturnType<typeof createWatch>

/** Hears the agent and its meter, and judges. */
function createWatch({ agent, spec, signal, clock, log }: AgentTask, tell: (happening: Happening) => void) {
  const isMetered = agent.row.dialect !== 'none'
  const translate = createTranslate(clock)
  const turns = createMeteredTurns({ autoCompact: spec.autoCompact, isMetered })
  const ownCosts = createOwnCosts()
  let lastSign = Number.NEGATIVE_INFINITY
  let isListening = false
  let isCondemned = false
  let permissions = 0

  const say = (events: readonly HarnessEvent[]) => {
    for (const event of events) tell({ kind: 'event', event })
  }

  function condemn(end: BadEnd): void {
    if (isCondemned) return
    isCondemned = true
    tell({ kind: 'verdict', end })
  }

  function sign(): void {
    const now = clock.monotonic()
    if (now - lastSign < signEveryMs) return
    lastSign = now
    say([{ type: 'alive' }])
  }

  return {
    turns,
    translate,
    sign,
    condemn,
    get permissions() {
      return permissions
    },
    /** Before its first prompt an agent that goes on with a conversation may repeat that. */
    listen() {
      isListening = true
    },
    onNotification(method: string, params: unknown): void {
      if (method !== 'session/update' || !isListening) return
      const update = fieldOf(params, 'update')
      sign()
      say(translate.heard(update))
      if (!isMetered) say(ownCosts(update))
    },
    onRequest(method: string, params: unknown): unknown {
      if (method === 'session/request_permission') {
        permissions++
        log.debug('ACP', `${agent.name} asks for a permission, which it should not need`)
        return permission(params)
      }
      return method.includes('elicitation') ? { action: 'decline' } : undefined
    },
    onGarbage({ tooLong, text }: { readonly tooLong: boolean; readonly text: string }): void {
      if (!tooLong) log.debug('ACP', `${agent.name} wrote a line that is no message`, { text })
      else
        condemn(
          failedWith({ kind: 'crash', message: `The agent ${agent.name} wrote a line of more than 16 MiB.` }),
        )
    },
    /** A request for an answer waits until those before it are charged for, and is refused when they were the last. */
    async admit(): Promise<void> {
      if (isListening) await new Promise<void>(reached => tell({ kind: 'mark', reached }))
      if (signal.aborted || isCondemned) throw new Error('The codon is being stopped.')
    },
    onAnswer(answer: Parameters<typeof turns.answered>[0]): void {
      const { events, end } = turns.answered(answer)
      say(events)
      if (end) condemn(end)
    },
  }
}

/** Nobody is there to ask: once for each. */
function permission(params: unknown): object {
  const options = listOf(fieldOf(params, 'options'))
  const wanted = ['allow_once', 'allow_always']
  const option = wanted.flatMap(kind => options.find(each => fieldOf(each, 'kind') === kind) ?? [])[0]
  const optionId = textOf(fieldOf(option, 'optionId'))
  return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } }
}

async function meterFor(
  { upstream, openMeter, spec, clock }: AgentTask,
  { sign: onSign, admit, onAnswer }: Watch,
): Promise<{ readonly ok: true; readonly meter?: Meter } | { readonly ok: false; readonly message: string }> {
  if (upstream === undefined) return { ok: true }
  return openMeter({ upstream, environment: spec.env, clock, admit, onSign, onAnswer })
}

interface Launched {
  readonly watch: Watch
  readonly meter: Meter | undefined
}

async function launch(
  task: AgentTask,
  { watch, meter }: Launched,
): Promise<{ readonly process: AgentProcess }> {
  const { spec, program, home, agent, own, clock } = task
  const filled = task.fill(meter?.url ?? '')
  await writeFiles(home.path, filled.files)
  const process = startAgentProcess({
    program: [...program, ...filled.args],
    cwd: spec.cwd,
    env: agentEnvironment(spec.env, agent.row, filled.env),
    marker: spec.marker,
    own,
    clock,
    onNotification: watch.onNotification,
    onRequest: watch.onRequest,
    onGarbage: watch.onGarbage,
    onRaw: spec.onRaw,
  })
  return { process }
}

interface Work extends AgentTask, Launched {
  readonly process: AgentProcess
  readonly happenings: ReturnType<typeof createAsyncQueue<Happening>>
  readonly agentSessionId: string | undefined
}

async function* work(task: Work): AsyncGenerator<HarnessEvent, HarnessEnd, void> {
  const { spec, agent, process, signal, home, watch } = task
  const { rpc } = process
  const name = `The agent ${agent.name}`
  if (!rpc) return crashed(name, await process.ended, '')
  const { model, cwd, servers } = spec
  const wish = { ...agent, model, cwd, servers, agentSessionId: task.agentSessionId }
  const opened = await unlessAborted(openSession(rpc, wish), signal)
  if (!opened) return stopped
  if (!opened.ok)
    return process.end
      ? crashed(name, process.end, process.lastWords())
      : failedWith({ kind: 'launch', message: opened.message })
  const sessionId = newSessionId()
  const { agentSessionId } = opened
  await home.begin({ sessionId, agentSessionId })
  yield { type: 'session', sessionId }
  watch.listen()
  return yield* turnsOf(task, { rpc, agentSessionId, name })
}

interface Conversation {
  readonly rpc: NonNullable<AgentProcess['rpc']>
  readonly agentSessionId: string
  readonly name: string
}

async function* turnsOf(
  task: Work,
  { rpc, agentSessionId: sessionId, name }: Conversation,
): AsyncGenerator<HarnessEvent, HarnessEnd, void> {
  const { spec, signal, process, happenings, watch, clock, meter } = task
  let verdict: BadEnd | undefined
  let turn: Promise<unknown> = Promise.resolve()
  const prompt = (text: string) => {
    turn = rpc
      .request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
      .then(async answer => {
        await meter?.settled()
        happenings.put({ kind: 'turn', answer })
      })
  }
  /** Gently, so that it stops its tools and writes its conversation down; what does not heed is stopped by signals. */
  const cancel = () => {
    rpc.notify('session/cancel', { sessionId })
    void inTime(turn, { ms: cancelMs, clock }).then(came => (came ? undefined : process.stop()))
  }
  const abort = () => cancel()
  signal.addEventListener('abort', abort, { once: true })
  try {
    prompt(firstPrompt(spec))
    if (signal.aborted) cancel()
    for (let next = await happenings.take(); next; next = await happenings.take()) {
      if (next.kind === 'event') yield next.event
      if (next.kind === 'mark') next.reached()
      if (next.kind === 'verdict' && !signal.aborted) {
        verdict ??= next.end
        cancel()
      }
      if (next.kind !== 'turn') continue
      yield* watch.translate.end()
      const failure = verdict ?? watch.turns.endOfTurn(next.answer)
      if (watch.turns.isFull() && !signal.aborted) yield { type: 'context-full' }
      if (signal.aborted) return stopped
      if (failure) return failure
      if (!next.answer.ok) return crashed(name, await process.ended, process.lastWords())
      const text = spec.nextPrompt()
      if (text === undefined) return { ok: true }
      prompt(text)
    }
    return stopped
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** What a codon says beside its prompt stands before it: the protocol has no place for it. */
function firstPrompt({ prompt, systemPrompt = '' }: HarnessSpec): string {
  return systemPrompt === ''
    ? prompt
    : `<system-instructions>\n${systemPrompt}\n</system-instructions>\n\n${prompt}`
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined
  let stop: () => void = () => undefined
  const aborted = new Promise<undefined>(resolve => {
    stop = () => resolve(undefined)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
