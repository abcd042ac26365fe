import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { encodeLine } from '../packages/runtime/src/journal/line.ts'
import { executionLayout } from '../packages/runtime/src/workspace/index.ts'
import { words } from './busy-agent.ts'

const segmentBytes = 16 * 1024 * 1024
const runId = 'run_a'
const codonId = 'a'

/** The journal of one long run with one busy codon, with the lines that a server would write, but without waiting for the disk. */
export function writeLongJournal(execution: string, events: number): void {
  const dir = executionLayout(execution).journal
  mkdirSync(dir, { recursive: true })
  const journal = createWriter(dir)
  const { put, change, time } = journal
  put('preflight.result', { ok: true, problems: [], plan: { hankName: 'Long', items: [] } })
  change('RunStarted', { runId, startTime: time(), gitBranch: 'main', startedFrom: { type: 'fresh' } })
  change('CodonStarted', { codonId, codonName: 'A', attempt: 1, startTime: time(), model: 'sonnet' })
  for (const to of ['starting', 'initializing']) change('CodonTransitioned', { codonId, to })
  change('CodonTransitioned', { codonId, to: 'running', sessionId: 'session' })
  for (let turn = 1; journal.count() < events; turn++) putTurn(journal, turn)
  change('CodonTransitioned', { codonId, to: 'completing-sentinels' })
  const exitStatus = { type: 'success' }
  change('CodonTransitioned', { codonId, to: 'completed', endTime: time(), exitStatus })
  change('RunCompleted', { runId, endTime: time(), outcome: 'completed' })
  journal.close()
}

type Writer = ReturnType<typeof createWriter>

function putTurn({ put, change, spend, time }: Writer, turn: number): void {
  const toolUseId = `tool_${turn}`
  const caches = { cacheCreationTokens: 0, cacheReadTokens: 0 }
  const call = { toolName: 'Bash', toolInput: { command: `grep -n ${toolUseId} notes.md` }, toolUseId }
  put('assistant.action', { codonId, action: 'message', content: `${toolUseId} ${words}` })
  put('assistant.action', { codonId, action: 'tool_use', content: 'Bash', ...call })
  const cost = spend(0.001)
  const tokens = { inputTokens: 900 * turn, outputTokens: 90 * turn, ...caches }
  change('CostsUpdated', { codonId, cost, tokens })
  change('AssistantMessageCountUpdated', { codonId, count: turn })
  const used = { inputTokens: 900, outputTokens: 90, ...caches, totalCost: cost }
  put('token.usage', { codonId, ...used, startedAt: time() })
  const answer = { result: words, truncated: false, originalLength: words.length }
  put('tool.result', { codonId, toolUseId, toolName: 'Bash', ...answer, executionTimeMs: 10, isError: false })
}

function createWriter(dir: string) {
  const lines = createLineWriter(dir)
  let cost = 0
  return {
    ...lines,
    spend: (dollars: number) => {
      cost += dollars
      return cost
    },
    change: (type: string, data: object): void =>
      lines.put('state.transition', {
        transitionType: type,
        runId,
        transition: { type, data },
        resultingState: { currentRunId: runId, runCount: 1, totalCost: cost, currentRunCost: cost },
      }),
  }
}

/** Writes the lines of a journal, numbered and in segments; nothing waits for the disk. */
export function createLineWriter(dir: string) {
  let seq = 0
  let now = Date.UTC(2026, 0, 1)
  let file: number | undefined
  let bytes = 0
  let waiting = ''
  const flush = (): void => {
    if (file !== undefined) writeSync(file, waiting)
    waiting = ''
  }
  const next = (): void => {
    flush()
    if (file !== undefined) closeSync(file)
    file = openSync(join(dir, `events-${String(seq).padStart(12, '0')}.jsonl`), 'w')
    bytes = 0
  }
  const time = () => new Date(now).toISOString()
  return {
    put(type: string, data: object, id = `evt_${seq + 1}`): void {
      seq++
      now += 10
      if (file === undefined || bytes > segmentBytes) next()
      const line = encodeLine({ seq, id, timestamp: time(), type }, JSON.stringify(data))
      bytes += line.length
      waiting += line
      if (waiting.length > 1 << 20) flush()
    },
    time,
    count: () => seq,
    close(): void {
      flush()
      if (file !== undefined) closeSync(file)
    },
  }
}
