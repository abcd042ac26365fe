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
import { join } from 'node:path'
import { emptyState } from '@weave/protocol'
import { createScriptedHarness } from '../packages/runtime/src/harness/index.ts'
import { openJournal } from '../packages/runtime/src/journal/index.ts'
import { createRedactor, systemClock } from '../packages/runtime/src/kit/index.ts'
import { createRecorder, type Ports, startRunner } from '../packages/runtime/src/runner/index.ts'
import { createCheckpointSelection, watchWorkspace } from '../packages/runtime/src/workspace/index.ts'
import { codonPlan, planOf } from '../packages/runtime/test/runner/plans.ts'
import { atMost, type Figure, interleaved, seconds } from './measure.ts'

const codons = 40

/**
 * What a codon costs besides its agent (goal P11), in a workspace of 1,000 files: the floor is the synced journal lines
 * that a codon must have and one process started. Checkpoints are not kept yet and stand on neither side.
 */
export async function overheadFigures(): Promise<readonly Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'weave-bench-'))
  try {
    let run = 0
    const result = await interleaved(
      5,
      () => plainCodons(join(base, `plain-${run++}`)),
      () => realCodons(join(base, `real-${run++}`)),
    )
    return [
      { id: 'P11', what: 'between two codons, without checkpoints', unit: 'ms', ...result, goal: atMost(2) },
    ]
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

/** Seven synced lines and one process, as every codon has at least. */
async function plainCodons(dir: string): Promise<number> {
  mkdirSync(dir)
  const fd = openSync(join(dir, 'journal.jsonl'), 'a')
  const line = `${JSON.stringify({ seq: 1, id: 'evt', timestamp: new Date().toISOString(), type: 'state.transition', data: { text: 'x'.repeat(200) } })}\n`
  const time = await seconds(() => {
    for (let codon = 0; codon < codons; codon++) {
      for (let each = 0; each < 7; each++) {
        writeSync(fd, line)
        fdatasyncSync(fd)
      }
      spawnSync('/bin/true')
    }
  })
  closeSync(fd)
  return (time / codons) * 1000
}

async function realCodons(dir: string): Promise<number> {
  const agentRoot = join(dir, 'agentRoot')
  mkdirSync(agentRoot, { recursive: true })
  for (let at = 0; at < 1_000; at++) writeFileSync(join(agentRoot, `file-${at}.txt`), 'content')
  const clock = systemClock
  const redactor = createRedactor([])
  const journal = await openJournal({ dir: join(dir, 'journal'), clock, redactor })
  const selected = createCheckpointSelection([['*.txt']])
  if (!selected.ok) throw new Error(selected.message)
  const watch = await watchWorkspace({
    agentRoot,
    selection: selected.selection,
    clock,
    onChange: update => void journal.append('file.updated', update),
    onTree: tree => void journal.append('filetree.updated', { tree }),
  })
  const ports: Ports = {
    agentRoot,
    harnessFor: () => createScriptedHarness(() => [{ say: 'done' }]),
    environmentOf: () => ({}),
    promptOf: async () => ({ ok: true, prompt: 'work' }),
    runRig: async () => {
      spawnSync('/bin/true')
      return { ok: true }
    },
    copyOutputs: async () => ({ ok: true, files: [] }),
    archive: async () => ({ ok: true, files: [] }),
    checkpoint: async () => undefined,
    restore: async () => ({ ok: true, files: [] }),
    watch: async () => undefined,
    settleFiles: async () => void (await watch.settle()),
    hintFiles: () => watch.hint(),
    fileTree: () => watch.tree(),
  }
  const plan = planOf(...Array.from({ length: codons }, (_, at) => codonPlan(`c${at}`)))
  const recorder = createRecorder(journal, redactor, emptyState)
  const time = await seconds(async () => {
    await startRunner({ plan, journal, recorder, ports, clock, autostart: true, headless: true }).done
  })
  await watch.close()
  await journal.close()
  return (time / codons) * 1000
}
