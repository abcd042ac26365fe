import { type Command, commands, type EventData, events, type JournaledEvent } from '@weave/protocol'
import { expect } from 'vitest'
import type { Plan } from '../../src/plan/index.ts'
import {
  commandData,
  type Deed,
  fittingType,
  namesOf,
  type Saying,
  type Scripts,
  stepsOf,
  turnsOf,
} from './arbitraries.ts'
import type { FlatEffects } from './bare-effects.ts'
import { ask, began, checkpointed, clientCame, ended, newModel, recorded, shutDown, woke } from './model.ts'
import { rolledBack } from './model-rollback.ts'
import type { Answer, Ask, Model, Status } from './model-state.ts'
import { openScenario, type Scenario } from './scenario.ts'

export interface Story {
  readonly plan: Plan
  readonly scripts: Scripts
  readonly deeds: readonly Deed[]
  readonly headless: boolean
  readonly autostart: boolean
}

/**
 * Plays a story to a runner and, in step with it, to the model. The model hears of a command when it is sent and of
 * everything else when it is seen; whatever the runner says or does must be what the model had foretold.
 */
export async function playStory(story: Story, dir: string): Promise<void> {
  const { plan, headless, autostart } = story
  const early: JournaledEvent[] = []
  const onEvent = (event: JournaledEvent): void => {
    if (!player) early.push(event)
    else player.heard(event)
  }
  let calls = 0
  let call = 0
  const script = (codonId: string, _call: number, turn: number) => {
    if (turn === 0) call = calls++
    return stepsOf(turnsOf(plan, story.scripts, codonId, call)[turn])
  }
  const restores: string[] = []
  let player: Player | undefined
  const scenario = await openScenario(
    { plan, headless, autostart, script, onEvent, effects: versionEffects(restores) },
    dir,
  )
  player = new Player(story, scenario, restores)
  for (const event of early) player.heard(event)
  for (const deed of story.deeds) {
    if (deed.kind === 'say' && deed.saying.atOnce) player.say(deed.saying)
    else await player.play(deed)
  }
  await player.toTheEnd()
}

const beginning = 'beef00'

/**
 * Versions that begin alike. Keeping one takes a turn of the loop, as no real one takes less: what a command means does
 * not change between the moment in which it is sent and that in which it is heard.
 */
function versionEffects(restores: string[]): Partial<FlatEffects> {
  let shas = 0
  return {
    firstCheckpoint: () => beginning,
    async checkpoint() {
      await turnOfTheLoop()
      return (0xabcd00 + shas++).toString(16)
    },
    async restore(sha) {
      restores.push(sha)
      return { ok: true, files: [] }
    },
  }
}

class Player {
  readonly #story: Story
  readonly #scenario: Scenario
  readonly #seen: string[] = []
  readonly #answers: { readonly expected: Answer; readonly given: Promise<Answer> }[] = []
  readonly #acceptedIds = new Set<string>()
  readonly #answeredIds: string[] = []
  /** Of each rollback that began: the command that it says to be the answer to, and the one that it is. */
  readonly #rollbacks: (readonly [said: string | undefined, asked: string])[] = []
  readonly #restores: readonly string[]
  readonly #shas: string[] = [beginning]
  #model: Model
  #status: Status = 'failed'
  #planned: { left: number; readonly saying: Saying }[] = []
  #commands = 0
  #rollbackId = ''
  #timePasses = false
  #waitsUntil = 0

  constructor(story: Story, scenario: Scenario, restores: readonly string[]) {
    this.#story = story
    this.#scenario = scenario
    this.#restores = restores
    this.#model = newModel({ ...story, beginning })
  }

  async play(deed: Deed): Promise<void> {
    await this.#quiet()
    if (deed.kind === 'say') this.say(deed.saying)
    else if (deed.kind === 'time') await this.#passTime()
    else {
      this.#scenario.runner.clientArrived()
      this.#model = clientCame(this.#model)
    }
  }

  /** Now, or after so many events. */
  say(saying: Saying): void {
    if (saying.afterEvents === undefined) this.#send(saying)
    else this.#planned.push({ left: saying.afterEvents, saying })
  }

  /** Lets everything run that runs by itself, ends the server, and compares what is left to compare. */
  async toTheEnd(): Promise<void> {
    await this.#quiet()
    for (let patience = 200; this.#isBusy() && patience > 0; patience--) {
      await this.#passTime()
      await this.#quiet()
    }
    expect(this.#isBusy()).toBe(false)
    this.#planned = []
    this.#model = shutDown(this.#model)
    await this.#scenario.close()
    this.#compare()
    expect((await this.#scenario.runner.done).status).toBe(this.#model.end)
    expect(this.#restores).toEqual(this.#model.restores)
    for (const { expected, given } of this.#answers) expect(await given).toBe(expected)
    expect(new Set(this.#answeredIds).size).toBe(this.#answeredIds.length)
    for (const [said, asked] of this.#rollbacks) expect(said).toBe(asked)
    for (const id of this.#answeredIds) expect(this.#acceptedIds).toContain(id)
    expect(runsOf(this.#scenario)).toEqual(
      this.#model.runs.map(({ status, codons }) => [
        status,
        ...codons.map(({ id, attempt, status: end }) => `${id} ${attempt} ${end}`),
      ]),
    )
  }

  heard(event: JournaledEvent): void {
    if (event.type === 'state.snapshot') return
    if (event.commandId !== undefined) this.#answeredIds.push(event.commandId)
    if (event.type === 'rollback.started') this.#rollbacks.push([event.commandId, this.#rollbackId])
    if (event.type === 'state.transition') this.#note(event.data.transition)
    if (event.type === 'codon.started') this.#model = began(this.#model)
    if (event.type === 'codon.completed') this.#codonEnded(event.data)
    const line = lineOf(event, this.#status)
    if (line !== undefined) this.#see(line, Date.parse(event.timestamp))
    if (event.type === 'codon.retrying') this.#waitsUntil = Date.parse(event.timestamp) + event.data.delayMs
    // Other events may be told when what they tell of is long past; the record of an end follows its checkpoint at once.
    const isCheckpoint =
      event.type === 'state.transition' && event.data.transitionType === 'CheckpointCreated'
    if (events[event.type].durability === 'synced' && !isCheckpoint) this.#count()
  }

  #see(line: string, at: number): void {
    // What nobody foretold can only be the end of a wait: cut short, or at its very moment.
    if (this.#seen.length === this.#model.lines.length && this.#model.activity === 'waiting') {
      if (!this.#model.stop) expect(at).toBe(this.#waitsUntil)
      // An attempt that is really made begins with the workspace put back; one that was skipped is only put on record.
      const isMade = this.#restores.length > this.#model.restores.length
      this.#model = woke(this.#model, { byClock: line.startsWith('start') && isMade })
    }
    // The first word after a rollback: it is done, and whatever is sent from now on comes after it.
    if (this.#seen.length === this.#model.lines.length) this.#model = rolledBack(this.#model)
    this.#seen.push(line)
  }

  #note({ type, data }: EventData<'state.transition'>['transition']): void {
    const { to, codonId, checkpointType, sha } = data
    if (to === 'completed' || to === 'failed' || to === 'skipped') {
      this.#status = to
      this.#model = recorded(this.#model, to)
    }
    if (type !== 'CheckpointCreated') return
    this.#shas.push(String(sha))
    this.#model = checkpointed(this.#model, String(codonId), { [String(checkpointType)]: String(sha) })
  }

  #codonEnded({ exitStatus, failureReason }: EventData<'codon.completed'>): void {
    const { current } = this.#model
    const { plan, scripts } = this.#story
    const turns = current ? turnsOf(plan, scripts, current.id, current.call ?? -1) : []
    const wasStopped = exitStatus.type === 'killed' && failureReason?.type !== 'timeout'
    this.#model = ended(this.#model, { turns, timePasses: this.#timePasses, wasStopped })
  }

  /** Sends what was to be sent after this many events. */
  #count(): void {
    const due = this.#planned.filter(each => each.left-- <= 0)
    this.#planned = this.#planned.filter(each => !due.includes(each))
    for (const { saying } of due) this.#send(saying)
  }

  #send(saying: Saying): void {
    const asked = this.#askOf(saying)
    const { type } = asked
    const id = `client${saying.client}-${++this.#commands}`
    const data = commands[type].data.parse(commandData(asked))
    const { answer, model } = ask(this.#model, asked)
    this.#model = model
    if (answer === 'ok') this.#acceptedIds.add(id)
    if (answer === 'ok' && type.startsWith('rollback')) this.#rollbackId = id
    const given = this.#scenario.runner.submit({ id, type, data } as Command)
    this.#answers.push({ expected: answer, given: given.then(result => (result.ok ? 'ok' : result.code)) })
  }

  /** What a person says: with a name and a sha that there are, if he looks before he speaks. */
  #askOf({ codon, sha, length, fitting, ...saying }: Saying): Ask {
    const type = fitting ? fittingType(saying.type, this.#isBusy()) : saying.type
    const done = this.#model.thread.flatMap(({ id }) => [id, id.split('#')[0] ?? id])
    const names = fitting && type === 'rollback.toCodon' && done.length > 0 ? done : namesOf(this.#story.plan)
    const known = [...this.#shas, ...(fitting ? [] : ['ffffff'])]
    return {
      ...saying,
      type,
      codonId: names[codon % names.length] ?? '',
      prefix: (known[sha % known.length] ?? beginning).slice(0, length),
    }
  }

  /** As much as it takes for what goes on now to end by itself. */
  async #passTime(): Promise<void> {
    const { activity, stop } = this.#model
    const { clock } = this.#scenario
    this.#timePasses = true
    if (activity === 'waiting' && !stop) {
      const left = this.#waitsUntil - clock.now().getTime()
      await clock.advance(Math.max(0, left - 1))
      if (left > 0) expect(this.#model.activity).toBe('waiting')
      await clock.advance(1)
    } else await clock.advance(activity === 'codon' && this.#inTool() ? 31 * 60_000 : 6_000)
    await this.#quiet()
    this.#timePasses = false
  }

  #inTool(): boolean {
    const { current } = this.#model
    const turns = turnsOf(this.#story.plan, this.#story.scripts, current?.id ?? '', current?.call ?? -1)
    return turns.find(({ kind }) => kind !== 'succeed')?.kind === 'hang-in-tool'
  }

  #isBusy(): boolean {
    return this.#model.activity === 'codon' || this.#model.activity === 'waiting'
  }

  /** Until nothing moves any more; then everything foretold has happened, and nothing else. */
  async #quiet(): Promise<void> {
    const { events: heard } = this.#scenario
    for (let before = -1; before !== heard.length; ) {
      before = heard.length
      await turnOfTheLoop()
      await turnOfTheLoop()
    }
    if (this.#model.activity === 'waiting' && this.#model.stop) this.#model = woke(this.#model)
    this.#compare()
  }

  #compare(): void {
    expect(this.#seen).toEqual(this.#model.lines)
  }
}

function lineOf(event: JournaledEvent, status: Status): string | undefined {
  switch (event.type) {
    case 'state.transition':
      return transitionLine(event.data.transition.type, event.data.transition.data)
    case 'codon.completed':
      expect(event.data.success).toBe(status === 'completed')
      return `end ${event.data.codonId} ${status}`
    case 'codon.retrying':
      return `wait ${event.data.codonId} ${event.data.attempt} ${event.data.delayMs}`
    case 'run.parked':
      return `parked ${event.data.codonId}`
    case 'run.completed':
      return `summary ${event.data.status}`
    case 'loop.iteration.completed':
      return `iteration ${event.data.loopId} ${event.data.iteration}${event.data.last ? ' last' : ''}`
    case 'rollback.started': {
      const { toCodon, checkpointType, codonsToProcess } = event.data
      return `rollback to ${[toCodon, checkpointType, 'undoes', ...codonsToProcess].join(' ')}`
    }
    case 'rollback.completed': {
      const { codonId, checkpointType, checkpoint, autoRestart } = event.data
      return `rolled back to ${codonId} ${checkpointType} ${checkpoint} ${autoRestart}`
    }
    case 'server.idle':
      return `idle ${event.data.reason}`
    case 'error':
      return event.data.severity === 'warning'
        ? undefined
        : `error ${event.data.codon} ${event.data.severity}`
    default:
      return undefined
  }
}

function transitionLine(type: string, data: Readonly<Record<string, unknown>>): string | undefined {
  const { codonId, attempt, outcome, startedFrom, sha } = data
  if (type === 'CodonStarted') return `start ${String(codonId)} ${String(attempt)}`
  if (type === 'RunCompleted') return `run ${String(outcome)}`
  if (type === 'RunFailed') return 'run failed'
  if (type === 'InitialCheckpointSet') return `at ${String(sha)}`
  if (type === 'RunStarted')
    return `run from ${(startedFrom as { codonId?: string }).codonId ?? 'the beginning'}`
  return undefined
}

function runsOf({ recorder }: Scenario): readonly (readonly string[])[] {
  return recorder.state.runs.map(({ status, codons }) => [
    status,
    ...codons.map(({ codonId, attempt, status: end }) => `${codonId} ${attempt} ${end}`),
  ])
}

function turnOfTheLoop(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
