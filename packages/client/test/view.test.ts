import type { ServerEvent } from '@weave/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ringItems } from '../src/ring.ts'
import { reduceView } from '../src/view.ts'
import { viewCaps } from '../src/view-model.ts'
import { outlineOf } from '../src/view-outline.ts'
import { readyData, sampleEvent, timeAt } from './event-samples.ts'
import { story } from './story.ts'
import { told, viewOf } from './views-of-stories.ts'

describe('what else a face draws', () => {
  test('the stream has actions, results, sentinel outputs, infos and errors', () => {
    const codonId = 'draft'
    const view = told(one => {
      one.tell('assistant.action', { codonId, action: 'thinking', content: 'hm' })
      one.tell('assistant.action', { codonId, action: 'message', content: 'I \x1b[2Jwill' })
      one.tell('assistant.action', {
        codonId,
        action: 'tool_use',
        content: '',
        toolName: 'bash',
        toolInput: { command: 'ls' },
      })
      one.tell('tool.result', {
        codonId,
        toolUseId: 't',
        toolName: 'bash',
        result: 'no',
        truncated: false,
        originalLength: 2,
        executionTimeMs: 3,
        isError: true,
      })
      one.tell('sentinel.output', {
        codonId,
        sentinelId: 'narrator',
        triggerNumber: 1,
        outputType: 'structured',
        cost: 0.1,
        content: { mood: 'good' },
        tokens: { input: 1, output: 1 },
        eventCount: 1,
      })
      one.tell('rig.output', { codonId, operation: 0, stream: 'stderr', text: 'npm warn' })
      one.tell('info', { message: 'note' })
      one.tell('error', { message: 'odd', fatal: false, severity: 'warning' })
      one.tell('filetree.updated', { tree: [] })
    })
    const entries = ringItems(view.stream).map(({ kind, source, text, failed }) => [
      kind,
      source,
      text,
      failed,
    ])
    expect(entries).toEqual([
      ['thinking', undefined, 'hm', undefined],
      ['message', undefined, 'I \\u{1b}[2Jwill', undefined],
      ['tool', 'bash', '{"command":"ls"}', undefined],
      ['result', 'bash', 'no', true],
      ['sentinel', 'narrator', '{"mood":"good"}', undefined],
      ['rig', 'stderr', 'npm warn', undefined],
      ['info', undefined, 'note', undefined],
      ['error', undefined, 'warning: odd', undefined],
    ])
    // A warning is none.
    expect(view.errorCount).toBe(0)
    const fault = sampleEvent('error', { message: 'broken', fatal: false, severity: 'operation' })
    expect(reduceView(view, fault).errorCount).toBe(1)
  })

  test('why a codon failed stands once in the stream, other errors always', () => {
    const exitStatus = { type: 'error', code: 1 } as const
    const failed = { codonId: 'draft', success: false, cost: 0, duration: 1000, exitStatus }
    const view = told(one => {
      one.tell('codon.completed', failed)
      one.tell('error', { message: 'draft: broken', codon: 'draft', fatal: true, severity: 'fatal' })
      one.tell('error', { message: 'of another', codon: 'review', fatal: false, severity: 'codon' })
      one.tell('codon.completed', failed)
      one.tell('error', { message: 'a warning', codon: 'draft', fatal: false, severity: 'warning' })
    })
    const errors = ringItems(view.stream).filter(({ kind }) => kind === 'error')
    expect(errors.map(({ text }) => text.replace(/^.*: /, ''))).toEqual(['of another', 'a warning'])
  })

  test('a long text is cut and says so', () => {
    const view = told(one =>
      one.tell('assistant.action', { codonId: 'draft', action: 'message', content: 'é'.repeat(10_000) }),
    )
    const [entry] = ringItems(view.stream)
    expect([entry?.text.length, entry?.cut]).toEqual([viewCaps.streamText, true])
  })

  test('waiting for a retry or a provider has an end time, and ends when a codon starts', () => {
    const one = story()
    one.startRun('run-1')
    one.start('draft')
    one.fail('draft')
    one.tell('codon.retrying', {
      codonId: 'draft',
      attempt: 2,
      maxAttempts: 3,
      delayMs: 1000,
      resumeAt: timeAt(60),
      failureReason: { type: 'rate-limit', retriable: true },
    })
    const retrying = viewOf(one.events)
    one.tell('run.parked', { codonId: 'draft', until: timeAt(600), reason: 'retry-after' })
    const parked = viewOf(one.events)
    one.start('draft', 2)
    expect(retrying.waiting).toEqual({
      kind: 'retry',
      codonId: 'draft',
      until: timeAt(60),
      attempt: 2,
      maxAttempts: 3,
      reason: 'rate-limit',
    })
    expect(parked.waiting).toEqual({
      kind: 'parked',
      codonId: 'draft',
      until: timeAt(600),
      reason: 'retry-after',
    })
    expect(viewOf(one.events).waiting).toBeUndefined()
  })

  test('a rollback shows its progress until it is done, also to a client that came late', () => {
    const one = story()
    one.tell('rollback.started', {
      fromRun: 'r',
      fromCodon: 'final',
      toCodon: 'draft',
      toCheckpoint: 'abc',
      checkpointType: 'completed',
      codonsToProcess: [],
    })
    one.tell('rollback.progress', { currentStep: 1, totalSteps: 4, message: 'restoring' })
    expect(viewOf(one.events).rollback).toEqual({
      toCodon: 'draft',
      checkpoint: 'abc',
      step: 1,
      totalSteps: 4,
      message: 'restoring',
    })
    one.tell('rollback.completed', {
      fromRun: 'r',
      toRun: 's',
      checkpoint: 'abc',
      codonId: 'draft',
      codonName: 'Draft',
      checkpointType: 'completed',
      autoRestart: false,
    })
    expect(viewOf(one.events).rollback).toBeUndefined()
    expect(told(late => late.snapshot(true)).rollback).toMatchObject({ totalSteps: 0 })
  })

  test('files are listed once each, the last changed at the end', () => {
    const view = told(one => {
      for (const path of ['a', 'b', 'a']) {
        one.tell('file.updated', { path, filename: path, content: 'x'.repeat(100), action: 'modified' })
      }
    })
    expect(view.files.map(file => [file.path, file.changes])).toEqual([
      ['b', 1],
      ['a', 2],
    ])
    expect(JSON.stringify(view.files)).not.toContain('xxx')
  })

  test('checkpoints, sentinels, idleness, summary and context are there', () => {
    const sentinel = { sentinelId: 'narrator', codonId: 'draft' }
    const view = told(one => {
      one.startRun('run-1')
      one.move({ type: 'InitialCheckpointSet', data: { runId: 'run-1', sha: 'first' } })
      one.run('draft')
      one.tell('sentinel.loaded', {
        ...sentinel,
        model: 'haiku',
        triggerType: 'event',
        executionStrategy: 'immediate',
        conversational: false,
        source: 'inline',
      })
      one.tell('sentinel.error', {
        ...sentinel,
        errorType: 'llm-call-failed',
        message: 'x',
        retriable: true,
        consecutiveFailureCount: 1,
      })
      one.tell('sentinel.unloaded', {
        ...sentinel,
        reason: 'codon-complete',
        finalCost: 0.5,
        llmCallCount: 2,
      })
      one.tell('server.idle', { reason: 'all-codons-completed', message: 'done' })
      one.tell('checkpoint.list', { runId: 'run-1', checkpoints: [], currentBranch: 'run-run-1' })
      one.tell('run.completed', {
        runId: 'run-1',
        status: 'completed',
        totalCost: 1,
        duration: 5,
        codons: [],
      })
    })
    expect(view.checkpoints.map(({ sha, type, codonId }) => [sha, type, codonId])).toEqual([
      ['first', 'initial', undefined],
      ['draft-done', 'completed', 'draft'],
    ])
    expect(view.sentinels).toEqual([
      {
        ...sentinel,
        model: 'haiku',
        loaded: false,
        outputs: 0,
        errors: 1,
        cost: 0.5,
        unloadReason: 'codon-complete',
      },
    ])
    expect(view.idle?.reason).toBe('all-codons-completed')
    expect(view.checkpointList?.runId).toBe('run-1')
    expect(view.summary?.status).toBe('completed')
    expect(view.context).toEqual({ codonId: 'draft', tokens: 115 })
    expect(view.plan?.hankName).toBe('A hank')
  })

  test('the server and its rehearsal are known from server.ready', () => {
    const view = viewOf([sampleEvent('server.ready', { ...readyData, proxyPort: 7778, rehearsal: true })])
    expect(view.server).toMatchObject({ serverVersion: '0.10.0', proxyPort: 7778 })
    expect(view.rehearsal).toBe(true)
  })
})

describe('for any run', () => {
  /** A random but legal story: numbers choose what happens next. */
  function randomStory(choices: readonly number[]): readonly ServerEvent[] {
    const one = story()
    const codons = ['draft', 'review#0', 'fix#0', 'review#1', 'fix#1', 'review#2', 'fix#2', 'final']
    let runs = 0
    let position = 0
    const restart = (): void => {
      runs += 1
      const target = codons[position]
      one.startRun(
        `run-${runs}`,
        runs > 1 && target !== undefined
          ? { type: 'continuation', runId: `run-${runs - 1}`, codonId: target }
          : { type: 'fresh' },
      )
    }
    restart()
    for (const choice of choices) {
      const codonId = codons[position] ?? 'final'
      if (choice < 3) {
        one.run(codonId, choice)
        position = Math.min(position + 1, codons.length - 1)
      } else if (choice === 3) {
        one.start(codonId)
        one.fail(codonId)
      } else if (choice === 4) one.snapshot()
      else if (choice === 5) one.tell('info', { message: '\u202e' })
      else if (choice === 6) {
        one.endRun('stopped')
        position = Math.max(0, position - 2)
        restart()
      } else one.tell('file.updated', { path: `f${choice}`, filename: 'f', content: '', action: 'modified' })
    }
    return one.events
  }
  const choices = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 30 })

  test('a prefix and then the rest, also twice, is the same as all at once', () => {
    fc.assert(
      fc.property(choices, fc.nat(), (chosen, at) => {
        const events = randomStory(chosen)
        const middle = at % (events.length + 1)
        const before = viewOf(events.slice(0, middle))
        const frozen = structuredClone(before)
        const all = viewOf(events)
        expect(viewOf(events.slice(middle), before)).toEqual(all)
        expect(before).toEqual(frozen)
        expect(viewOf(events, before)).toEqual(all)
      }),
      { numRuns: 60 },
    )
  })

  test('a view that saw everything agrees with the protocol on money and the current run', () => {
    fc.assert(
      fc.property(choices, chosen => {
        const view = viewOf(randomStory(chosen))
        expect(view.machine.complete).toBe(true)
        expect(view.machine.state.totalCost).toBeCloseTo(view.totals.cost, 9)
        expect(outlineOf(view).map(line => line.kind)).toEqual(['codon', 'loop', 'codon'])
      }),
      { numRuns: 60 },
    )
  })
})
