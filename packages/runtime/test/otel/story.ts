import {
  type EventData,
  emptyState,
  type JournaledEvent,
  type JournaledType,
  reduce,
  summarize,
  type Transition,
  type TransitionData,
  type WeaveState,
} from '@weave/protocol'

/** Writes a journal as a run would, a tenth of a second between two events, and follows its state. */
export function createStory() {
  const events: JournaledEvent[] = []
  let state: WeaveState = emptyState
  let now = Date.UTC(2026, 0, 1)

  const tell = <T extends JournaledType>(type: T, data: EventData<T>): void => {
    now += 100
    const seq = events.length + 1
    const event = { seq, id: `evt_${seq}`, timestamp: new Date(now).toISOString(), type, data }
    events.push(event as unknown as JournaledEvent)
  }
  const record = (transition: Transition): void => {
    const reduction = reduce(state, transition)
    if (!reduction.ok) throw new Error(reduction.reason)
    state = reduction.state
    tell('state.transition', {
      transitionType: transition.type,
      runId: state.currentRunId ?? '',
      transition: { type: transition.type, data: { ...transition.data } },
      resultingState: summarize(state),
    })
  }
  const time = (): string => new Date(now).toISOString()
  return {
    events,
    state: () => state,
    tell,
    record,
    time,
    wait: (ms: number): void => {
      now += ms
    },
    plan: (): void =>
      tell('preflight.result', {
        ok: true,
        problems: [],
        plan: {
          hankName: 'Story',
          items: [
            codonOf('draft', { rig: [{}, {}] }),
            {
              kind: 'loop',
              codons: [
                codonOf('review', { model: { id: 'gpt-5', provider: 'google', harness: 'embedded' } }),
              ],
            },
          ],
        },
      }),
    start(runId: string, continues?: string): void {
      const startedFrom =
        continues === undefined
          ? ({ type: 'fresh' } as const)
          : ({ type: 'continuation', runId: continues } as const)
      const data = { runId, startTime: time(), gitBranch: `run-${runId}`, startedFrom }
      record({ type: 'RunStarted', data })
      tell('run.started', { ...data, hankName: 'Story', outline: [] })
    },
    codon(codonId: string, fields: Partial<TransitionData<'CodonStarted'>> = {}): void {
      const model = codonId.startsWith('review') ? 'gpt-5' : 'sonnet-5'
      const data = { codonId, codonName: `The ${codonId}`, attempt: 1, startTime: time(), model, ...fields }
      record({ type: 'CodonStarted', data })
    },
    running(codonId: string): void {
      record({ type: 'CodonTransitioned', data: { codonId, to: 'starting' } })
      record({ type: 'CodonTransitioned', data: { codonId, to: 'initializing' } })
      record({ type: 'CodonTransitioned', data: { codonId, to: 'running', sessionId: `ses-${codonId}` } })
    },
    /** One answer: what it used, told of before and after as a run does. */
    answer(
      codonId: string,
      used: { input?: number; output?: number; read?: number; dollars?: number },
    ): void {
      const spent = state.runs.at(-1)?.codons.at(-1)
      const tokens = {
        inputTokens: used.input ?? 0,
        outputTokens: used.output ?? 0,
        cacheCreationTokens: 0,
        cacheReadTokens: used.read ?? 0,
      }
      const sum = { ...tokens }
      for (const kind of Object.keys(sum) as (keyof typeof sum)[]) sum[kind] += spent?.tokens[kind] ?? 0
      const cost = (spent?.cost ?? 0) + (used.dollars ?? 0)
      record({ type: 'CostsUpdated', data: { codonId, cost, tokens: sum } })
      tell('token.usage', { codonId, ...tokens, totalCost: cost, modelId: `${spent?.model}-20260101` })
    },
    tool(codonId: string, toolUseId: string, fields: Partial<EventData<'tool.result'>> = {}): void {
      const toolInput = { path: 'secret-plan.md' }
      tell('assistant.action', {
        codonId,
        action: 'tool_use',
        content: 'Read',
        toolName: 'Read',
        toolInput,
        toolUseId,
      })
      const result = 'what was in it'
      const sizes = { truncated: false, originalLength: result.length }
      tell('tool.result', {
        codonId,
        toolUseId,
        toolName: 'Read',
        result,
        ...sizes,
        executionTimeMs: 50,
        isError: false,
        ...fields,
      })
    },
    completed(codonId: string): void {
      record({ type: 'CodonTransitioned', data: { codonId, to: 'completing-sentinels' } })
      record({ type: 'CheckpointCreated', data: { codonId, checkpointType: 'completed', sha: 'abc' } })
      const exitStatus = { type: 'success' } as const
      record({ type: 'CodonTransitioned', data: { codonId, to: 'completed', endTime: time(), exitStatus } })
    },
    failed(codonId: string, type: 'rate-limit' | 'unknown' = 'rate-limit'): void {
      const failureReason = { type, retriable: true, message: 'slow down' }
      const exitStatus = { type: 'error', code: 1 } as const
      record({
        type: 'CodonTransitioned',
        data: { codonId, to: 'failed', endTime: time(), exitStatus, failureReason },
      })
    },
    end(runId: string): void {
      record({ type: 'RunCompleted', data: { runId, endTime: time(), outcome: 'completed' } })
    },
    crash(runId: string): void {
      now += 3_600_000
      record({ type: 'RunCrashed', data: { runId, endTime: time() } })
    },
  }
}

export type Story = ReturnType<typeof createStory>

function codonOf(id: string, fields: object): object {
  return {
    kind: 'codon',
    id,
    model: { id: 'sonnet-5', provider: 'anthropic', harness: 'sdk' },
    rig: [],
    ...fields,
  }
}

/** Two runs and what can happen in them: a rig, tools, a retry, a sentinel, a rollback, a crash, a resume. */
export function longStory(): Story {
  const story = createStory()
  story.plan()
  story.start('run_a')
  story.codon('draft')
  story.tell('rig.operation', {
    codonId: 'draft',
    operation: 0,
    type: 'command',
    ok: true,
    durationMs: 40,
    exitCode: 0,
  })
  story.record({
    type: 'CheckpointCreated',
    data: { codonId: 'draft', checkpointType: 'rig-setup', sha: 'rig' },
  })
  story.running('draft')
  watched(story)
  story.answer('draft', { input: 100, output: 10, read: 1_000, dollars: 0.1 })
  story.tool('draft', 'tool_1')
  story.tool('draft', 'tool_2', { isError: true })
  story.answer('draft', { input: 7, output: 30, dollars: 0.2 })
  story.completed('draft')
  story.codon('review#0', { loopContext: { loopId: 'refine', iteration: 0, codonIndexInLoop: 0 } })
  story.running('review#0')
  story.answer('review#0', { input: 5, output: 5, dollars: 0.01 })
  story.failed('review#0')
  retry(story)
  story.codon('review#0', {
    attempt: 2,
    loopContext: { loopId: 'refine', iteration: 0, codonIndexInLoop: 0 },
  })
  story.running('review#0')
  story.answer('review#0', { input: 6, output: 6, dollars: 0.02 })
  story.completed('review#0')
  rollback(story)
  story.codon('draft')
  story.running('draft')
  story.answer('draft', { input: 50, output: 1, dollars: 0.3 })
  story.record({
    type: 'CostsUpdated',
    data: {
      codonId: 'draft',
      cost: 0.4,
      tokens: { inputTokens: 90, outputTokens: 3, cacheCreationTokens: 0, cacheReadTokens: 0 },
    },
  })
  story.crash('run_b')
  story.start('run_c', 'run_b')
  story.codon('draft')
  story.running('draft')
  story.answer('draft', { input: 1, output: 2, dollars: 0.4 })
  story.completed('draft')
  story.end('run_c')
  return story
}

function watched({ tell, record }: Story): void {
  const sentinel = { sentinelId: 'guard', codonId: 'draft' }
  tell('sentinel.loaded', {
    ...sentinel,
    model: 'haiku-5',
    triggerType: 'event',
    executionStrategy: 'immediate',
    conversational: false,
    source: 'inline',
  })
  tell('sentinel.triggered', {
    ...sentinel,
    triggerNumber: 1,
    strategy: 'immediate',
    eventCount: 1,
    queueSize: 0,
  })
  const said = {
    outputType: 'text',
    content: 'all is well',
    cost: 0.001,
    tokens: { input: 9, output: 4 },
  } as const
  tell('sentinel.output', { ...sentinel, triggerNumber: 1, ...said, eventCount: 1, durationMs: 70 })
  const counts = { llmCallCount: 1, triggerCount: 1 }
  const states = [
    { sentinelId: 'guard', status: 'loaded', cost: 0.001, tokens: said.tokens, ...counts },
  ] as const
  record({ type: 'SentinelStatesUpdated', data: { codonId: 'draft', sentinels: states } })
}

function retry({ tell, time }: Story): void {
  const failureReason = { type: 'rate-limit', retriable: true } as const
  tell('codon.retrying', {
    codonId: 'review#0',
    attempt: 2,
    maxAttempts: 3,
    delayMs: 100,
    resumeAt: time(),
    failureReason,
  })
}

function rollback({ tell, record, start, time }: Story): void {
  const checkpoint = {
    toCheckpoint: 'rig',
    checkpointType: 'rig-setup',
    codonsToProcess: ['review#0', 'draft'],
  } as const
  tell('rollback.started', { fromRun: 'run_a', fromCodon: 'review#0', toCodon: 'draft', ...checkpoint })
  record({
    type: 'RunCompleted',
    data: { runId: 'run_a', endTime: time(), outcome: 'stopped', reason: 'rollback' },
  })
  start('run_b', 'run_a')
  const to = {
    checkpoint: 'rig',
    codonId: 'draft',
    codonName: 'The draft',
    checkpointType: 'rig-setup',
  } as const
  tell('rollback.completed', { fromRun: 'run_a', toRun: 'run_b', ...to, autoRestart: true })
}
