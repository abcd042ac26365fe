import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command, JournaledEvent } from '@weave/protocol'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { openStoppedExecution, type StoppedExecution } from '../../src/at-rest/stopped-execution.ts'
import { openJournal, replay } from '../../src/journal/index.ts'
import { createRedactor, systemClock } from '../../src/kit/index.ts'
import { createRecorder } from '../../src/runner/index.ts'
import { createScene, keeping, type Scene, startedIn } from './scene.ts'

/** `a` and `b` do well, `c` fails. `b` has a rig, changes what `a` wrote, and archives a file. */
function threeCodons(): Promise<Scene> {
  const rig = [{ type: 'command', command: { run: 'echo rigged >> rigged.txt' } }] as const
  return createScene(
    [keeping('a'), keeping('b', { rig, archiveOnSuccess: ['scratch.txt'] }), keeping('c')],
    codonId => [
      { write: 'shared.txt', content: `last by ${codonId}` },
      { write: `${codonId}.md`, content: codonId },
      ...(codonId === 'b' ? [{ write: 'scratch.txt', content: 'scratch' } as const] : []),
      ...(codonId === 'c' ? [{ fail: 'bad luck', retriable: true } as const] : []),
    ],
  )
}

type RollbackCommand = Extract<Command, { readonly type: `rollback.${string}` }>

async function rollBackLive(scene: Scene, command: Omit<RollbackCommand, 'id'>) {
  const events = await scene.run(async running => {
    await running.until('server.idle')
    await running.send(command)
    await running.until('rollback.completed')
    running.shutdown()
  })
  return told(events)
}

/** What is told of a rollback, without what is different in every execution. */
function told(events: readonly JournaledEvent[]): readonly unknown[] {
  return events
    .filter(({ type }) => type.startsWith('rollback.'))
    .map(({ type, data }) => [
      type,
      JSON.stringify(data).replaceAll(/[0-9a-f]{40}|run_\w+|\b[0-9a-f]{8}\b/g, '*'),
    ])
}

async function rollBack(execution: StoppedExecution, to: string) {
  const done = await execution.rollBack({ to })
  if (!done.ok) throw new Error(done.message)
  return done
}

async function eventsOf(scene: Scene): Promise<readonly JournaledEvent[]> {
  const events: JournaledEvent[] = []
  const journal = await openJournal({
    dir: scene.layout.journal,
    clock: systemClock,
    redactor: createRedactor([]),
  })
  for await (const page of journal.history.pages())
    for (const stored of page.events) {
      const event = await journal.history.event(stored)
      if (event) events.push(event)
    }
  await journal.close()
  return events
}

const toCodon = (codonId: string, checkpointType: 'start' | 'end' | 'error') => ({
  type: 'rollback.toCodon' as const,
  data: { codonId, checkpointType, autoRestart: false },
})

describe('a rollback at rest', () => {
  test.each([
    { to: 'a', command: toCodon('a', 'end'), next: ['b', 'c'] },
    { to: 'b:start', command: toCodon('b', 'start'), next: ['b', 'c'] },
    { to: 'c:error', command: toCodon('c', 'error'), next: [] },
    {
      to: 'last-success',
      command: { type: 'rollback.toLastSuccess' as const, data: { autoRestart: false } },
      next: ['c'],
    },
    { to: 'a:start', command: toCodon('a', 'start'), next: ['a', 'b', 'c'] },
  ])('to $to does and tells what a server does, and the next start goes on there', async example => {
    const { to, command, next } = example
    const [live, rest] = await Promise.all([threeCodons(), threeCodons()])
    const toldLive = await rollBackLive(live, command)
    await rest.run()
    await rest.atRest(execution => rollBack(execution, to))
    expect(rest.files()).toEqual(live.files())
    expect(told(await eventsOf(rest))).toEqual(toldLive)
    const [{ run: liveRun }, { run: restRun }] = await Promise.all([live.state(), rest.state()])
    expect(restRun).toMatchObject({ status: 'stopped', codons: [] })
    expect(shapeOf(restRun?.startedFrom)).toEqual(shapeOf(liveRun?.startedFrom))
    expect(startedIn(await rest.run())).toEqual(next)
    expect(startedIn(await live.run())).toEqual(next)
    expect(rest.files()).toEqual(live.files())
    expect(rest.files()['rigged.txt']).toBe('rigged\n')
  })

  verifies(
    [
      '1/rollback-restores-checkpoint',
      '2.3/archive-restored-on-rollback',
      'd7/rollback-restores',
      'd7/rollback-restores-archive',
    ],
    'is previewed without a change, and does what the preview said',
    async () => {
      const scene = await threeCodons()
      await scene.run()
      const before = scene.files()
      const preview = await scene.atRest(execution => execution.preview({ to: 'a' }))
      expect(scene.files()).toEqual(before)
      expect(preview).toMatchObject({
        ok: true,
        preview: {
          create: [],
          change: ['shared.txt'],
          delete: ['b.md', 'c.md', 'rigged.txt'],
          unchanged: 1,
          movedAside: [],
          unarchived: ['scratch.txt'],
          rigCopies: [],
          undone: ['c', 'b'],
          next: { codonId: 'b', withoutRig: false },
        },
      })
      const done = await scene.atRest(execution => rollBack(execution, 'a'))
      expect({ ok: true, preview: done.preview }).toEqual(preview)
      expect(scene.files()).toEqual({ 'a.md': 'a', 'shared.txt': 'last by a', 'scratch.txt': 'scratch' })
    },
  )

  test('leaves files alone that no checkpoint ever held', async () => {
    const scene = await createScene([keeping('a', { checkpointedFiles: ['*.md'] })], codonId => [
      { write: `${codonId}.md`, content: codonId },
    ])
    await scene.run()
    writeFileSync(join(scene.layout.agentRoot, 'own.txt'), 'mine')
    await scene.atRest(execution => rollBack(execution, 'start'))
    expect(scene.files()).toEqual({ 'own.txt': 'mine' })
  })

  test('puts a crash right first, and names what it found', async () => {
    const scene = await threeCodons()
    await scene.run()
    await leaveOpen(scene)
    const done = await scene.atRest(execution => rollBack(execution, 'a'))
    expect(done.notes.join()).toContain('ended without saying so')
    expect((await scene.state()).state.runs.map(({ status }) => status)).toEqual([
      'failed',
      'crashed',
      'stopped',
    ])
  })

  test('finishes a rollback that was cut off before it begins another', async () => {
    const scene = await threeCodons()
    await scene.run()
    const { run } = await scene.state()
    const sha = run?.codons[0]?.checkpoints.completed ?? ''
    const startedFrom = { type: 'continuation', runId: run?.runId, codonId: 'a', checkpoint: sha }
    const intent = join(scene.layout.internals, 'rollback.json')
    writeFileSync(intent, JSON.stringify({ sha, startedFrom, undone: [] }))
    const done = await scene.atRest(execution => rollBack(execution, 'b'))
    expect(done.notes.join()).toContain('had been cut off')
    expect(existsSync(intent)).toBe(false)
    expect((await scene.state()).state.runs.map(({ startedFrom: from }) => shapeOf(from))).toEqual([
      shapeOf({ type: 'fresh' }),
      shapeOf({ type: 'continuation', codonId: 'a' }),
      shapeOf({ type: 'continuation', codonId: 'b' }),
    ])
    expect(scene.files()['b.md']).toBe('b')
  })

  test('is refused, with the cure, while a server is at work', async () => {
    const scene = await createScene([keeping('a')], () => [{ hang: true }])
    await scene.run(async running => {
      await running.until('codon.started')
      const opened = await openStoppedExecution({
        layout: scene.layout,
        environment: process.env,
        clock: systemClock,
      })
      expect(opened).toMatchObject({
        ok: false,
        message: expect.stringContaining(`process ${process.pid}`),
        cure: expect.stringContaining('weave attach'),
      })
      running.shutdown()
    })
  })

  test('is refused for an execution that has not begun', async () => {
    const scene = await threeCodons()
    await expect(scene.atRest(async () => undefined)).rejects.toThrow('has not begun')
    expect(existsSync(scene.layout.lockFile)).toBe(false)
  })
})

describe('the undo of a rollback', () => {
  test('brings back files, archive and place; a second one takes that back again', async () => {
    const scene = await threeCodons()
    await scene.run()
    writeFileSync(join(scene.layout.agentRoot, 'c.md'), 'repaired by hand')
    const before = scene.files()
    const archived = readdirSync(join(scene.layout.rigArchive, 'b'))
    await scene.atRest(execution => rollBack(execution, 'a'))
    const after = scene.files()
    expect(after['scratch.txt']).toBe('scratch')
    const undo = () => scene.atRest(execution => execution.rollBack({ undo: true }))
    expect(await undo()).toMatchObject({
      ok: true,
      preview: { undone: [], archivedAgain: ['scratch.txt'], next: { codonId: 'c' } },
    })
    expect(scene.files()).toEqual(before)
    expect(readdirSync(join(scene.layout.rigArchive, 'b'))).toEqual(archived)
    expect(await undo()).toMatchObject({ ok: true, preview: { undone: ['b'], next: { codonId: 'b' } } })
    expect(scene.files()).toEqual(after)
    expect(await undo()).toMatchObject({ ok: true })
    expect(scene.files()).toEqual(before)
    expect(startedIn(await scene.run())).toEqual(['c'])
  })

  test('also takes back what was done since, and keeps that in a safety checkpoint', async () => {
    const scene = await threeCodons()
    await scene.run()
    const before = scene.files()
    await scene.atRest(execution => rollBack(execution, 'a:start'))
    await scene.run()
    const done = await scene.atRest(execution => execution.rollBack({ undo: true }))
    expect(done).toMatchObject({ ok: true, preview: { undone: ['c', 'b', 'a'] } })
    expect(scene.files()).toEqual(before)
    const rows = await scene.atRest(execution => execution.checkpoints())
    expect(rows.filter(({ type }) => type === 'safety').length).toBeGreaterThanOrEqual(2)
  })

  test('is refused when there was none', async () => {
    const scene = await threeCodons()
    await scene.run()
    expect(await scene.atRest(execution => execution.preview({ undo: true }))).toEqual({
      ok: false,
      message: 'No rollback was made here.',
    })
  })
})

function shapeOf(startedFrom: object | undefined) {
  const { type, codonId } = (startedFrom ?? {}) as { readonly type?: string; readonly codonId?: string }
  return { type, codonId }
}

/** As a server that was killed in the middle of `c` leaves it. */
async function leaveOpen({ layout }: Scene): Promise<void> {
  const redactor = createRedactor([])
  const journal = await openJournal({ dir: layout.journal, clock: systemClock, redactor })
  const { state } = await replay(journal.history, layout.stateFile)
  const { record } = createRecorder(journal, redactor, state)
  const [run] = state.runs
  const startTime = systemClock.now().toISOString()
  const startedFrom = {
    type: 'continuation',
    runId: run?.runId ?? '',
    codonId: 'b',
    checkpoint: run?.codons[1]?.checkpoints.completed ?? '',
  } as const
  record({ type: 'RunStarted', data: { runId: 'killed', startTime, gitBranch: 'run-killed', startedFrom } })
  record({
    type: 'CodonStarted',
    data: { codonId: 'c', codonName: 'c', attempt: 1, startTime, model: 'test-model' },
  })
  await journal.close()
}
