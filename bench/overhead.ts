import { spawnSync } from 'node:child_process'
import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { emptyState, events } from '@weave/protocol'
import { openCheckpoints } from '../packages/runtime/src/checkpoint/index.ts'
import {
  emittedCheckpoints,
  openCheckpointEffects,
} from '../packages/runtime/src/execution/checkpoint-effects.ts'
import { createActivities } from '../packages/runtime/src/execution/index.ts'
import { openJournal } from '../packages/runtime/src/journal/index.ts'
import { createRedactor, systemClock } from '../packages/runtime/src/kit/index.ts'
import type { Plan } from '../packages/runtime/src/plan/index.ts'
import { createRecorder, type Effects, startRunner } from '../packages/runtime/src/runner/index.ts'
import { createSelection, emptySelection, watchWorkspace } from '../packages/runtime/src/tree/index.ts'
import { type ExecutionLayout, executionLayout } from '../packages/runtime/src/workspace/index.ts'
import { codonPlan, planOf } from '../packages/runtime/test/runner/plans.ts'
import { createScriptedHarness } from '../test/support/scripted-harness.ts'
import { atMost, type Figure, interleaved, seconds } from './measure.ts'

const codons = 40
const files = 1_000
/** As a codon with a rig has them; checked in every run. */
const syncedLines = 9
const patterns = ['*.txt']
const rig = [{ type: 'command', command: { run: 'true', workingDirectory: 'project' } }] as const
const clock = systemClock
const redactor = createRedactor([])

/**
 * What a codon costs besides its agent (goal P11), in a workspace of 1,000 files of which the agent changes one. The
 * floor is what a codon must have: two synced checkpoints, its synced journal lines, one process started.
 */
export async function overheadFigures(): Promise<readonly Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'weave-bench-'))
  try {
    let run = 0
    const next = () => workspaceIn(join(base, `${run++}`))
    const result = await interleaved(
      9,
      () => plainCodons(next()),
      () => realCodons(next()),
    )
    return [{ id: 'P11', what: 'between two codons', unit: 'ms', ...result, goal: atMost(2) }]
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

export function workspaceIn(dir: string): ExecutionLayout {
  const layout = executionLayout(dir)
  mkdirSync(layout.journal, { recursive: true })
  for (let at = 0; at < files; at++) {
    const path = join(layout.agentRoot, `part-${at % 20}`, `file-${at}.txt`)
    if (at < 20) mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `content ${at}`)
  }
  return layout
}

/** The floor: milliseconds of what a codon must have. */
export async function plainCodons({ journal, agentRoot, checkpoints }: ExecutionLayout): Promise<number> {
  const opened = await openCheckpoints({
    gitDir: checkpoints,
    workTree: agentRoot,
    clock,
    environment: process.env,
  })
  const selected = createSelection([patterns])
  if (!opened.ok || !selected.ok) throw new Error('no checkpoints')
  const { store } = opened
  const { selection } = selected
  const parent = await store.safety({ runId: '', codonId: '', codonName: '', status: 'preparing', selection })
  if (!parent.ok) throw new Error(parent.message)
  const fd = openSync(join(journal, 'plain.jsonl'), 'a')
  const line = `${JSON.stringify({ seq: 1, id: 'evt', timestamp: new Date().toISOString(), type: 'state.transition', data: { text: 'x'.repeat(200) } })}\n`
  const time = await seconds(async () => {
    for (let codon = 0; codon < codons; codon++) {
      const about = { runId: 'run_1', codonId: `c${codon}`, codonName: `c${codon}`, parent: parent.sha }
      for (let each = 0; each < syncedLines; each++) {
        writeSync(fd, line)
        fdatasyncSync(fd)
      }
      spawnSync('/bin/true')
      await store.create({ ...about, type: 'rig-setup', status: 'preparing', selection })
      writeFileSync(join(agentRoot, 'part-0', 'note.txt'), `work on c${codon}`)
      await store.create({ ...about, type: 'completed', status: 'completed', selection })
    }
  })
  closeSync(fd)
  await store.close()
  return (time / codons) * 1000
}

/** Milliseconds that a codon takes. */
export async function realCodons(layout: ExecutionLayout): Promise<number> {
  const journal = await openJournal({ dir: layout.journal, clock, redactor })
  const recorder = createRecorder(journal, redactor, emptyState)
  const plan = planOf(
    ...Array.from({ length: codons }, (_, at) => codonPlan(`c${at}`, { rig, checkpointedFiles: patterns })),
  )
  const state = () => recorder.state
  const warn = (message: string) => console.log(message)
  const assertHeld = () => undefined
  const versions = await openCheckpointEffects({
    plan,
    layout,
    clock,
    environment: process.env,
    state,
    warn,
    assertHeld,
    activities: createActivities(clock),
  })
  if (!versions.ok) throw new Error('no checkpoints')
  const watch = await watchWorkspace({
    agentRoot: layout.agentRoot,
    selection: emptySelection,
    clock,
    now: versions.scanning.fileTime,
    onChange: update => void journal.append('file.updated', update),
    onTree: tree => void journal.append('filetree.updated', { tree }),
    onNote: ({ message }) => warn(message),
  })
  let synced = 0
  journal.subscribe(({ event }) => {
    if (events[event.type].durability === 'synced') synced++
  })
  const { rollback } = versions
  const effects: Effects = { ...effectsOf(plan, layout), rollback, ...emittedCheckpoints(versions, watch) }
  const time = await seconds(async () => {
    await startRunner({ plan, journal, recorder, effects, clock, autostart: true, headless: true }).done
  })
  if (Math.round(synced / codons) !== syncedLines) throw new Error(`${synced} synced lines`)
  await watch.close()
  await versions.store.close()
  await journal.close()
  return (time / codons) * 1000
}

function effectsOf(
  plan: Plan,
  { agentRoot: cwd }: ExecutionLayout,
): Omit<Effects, 'checkpoints' | 'files' | 'rollback'> {
  const harness = createScriptedHarness(({ prompt }) => [{ write: 'part-0/note.txt', content: prompt }])
  return {
    agent: {
      harnessFor: () => harness,
      surroundingsOf: ({ runtimeId, codon }) => ({
        codonId: runtimeId,
        model: codon.model.id,
        provider: codon.model.provider,
        cwd,
        env: {},
        marker: 'BENCH=1',
        home: cwd,
        autoCompact: false,
      }),
      sessionLog: () => ({ write: () => undefined, close: async () => undefined }),
      costOf: () => undefined,
      promptOf: async ({ codon }) => ({ ok: true, prompt: `${plan.hankName} ${codon.id}` }),
    },
    codon: {
      runRig: async () => {
        spawnSync('/bin/true')
        return { ok: true }
      },
      copyOutputs: async () => ({ ok: true, files: [] }),
      archive: async () => ({ ok: true, files: [] }),
      afterCodon: async () => undefined,
    },
    sentinels: { loadSentinels: async () => ({ ok: true, finish: async () => undefined }) },
  }
}
