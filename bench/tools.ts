import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEditor } from '../test/support/editor.ts'
import { writeLongJournal } from './long-journal.ts'
import { atMost, type Figure, median } from './measure.ts'

const root = new URL('..', import.meta.url).pathname
const launcher = join(root, 'packages/cli/bin/weave.cjs')
const events = 1_000_000

/**
 * What `weave mcp` and `weave lsp` need of a machine, each against what it may need: processor time until they are ready,
 * memory at rest, a page far into a long journal, checks of hanks. Needs a built command, and Linux.
 */
export async function toolFigures(): Promise<readonly Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'weave-bench-'))
  try {
    return [...(await mcpFigures(base)), ...(await editorFigures(base))]
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

/** A figure against the most that it may be. */
function within(id: string, what: string, [unit, most]: readonly [string, number], found: number): Figure {
  return { id, what, unit, subject: found, floor: most, spread: '', goal: atMost(1) }
}

async function mcpFigures(base: string): Promise<readonly Figure[]> {
  const ready: number[] = []
  const memory: number[] = []
  for (let round = 0; round < 7; round++) {
    const server = startMcp(base)
    await server.ask('tools/list')
    ready.push(processorMs(server.pid))
    memory.push(megabytes(server.pid))
    await server.close()
  }
  const execution = join(base, '.weave-executions/long')
  writeLongJournal(execution, events)
  const server = startMcp(base)
  const pages: number[] = []
  let longest = 0
  for (let at = 0; at < 9; at++) {
    const begun = performance.now()
    const input = { execution: 'long', since: events * 0.9 + at * 100, limit: 100 }
    const answer = await server.ask('tools/call', { name: 'read_journal', arguments: input })
    pages.push(performance.now() - begun)
    longest = Math.max(longest, textIn(answer).length)
  }
  for (const name of ['get_execution', 'cost_report', 'list_executions', 'wait_for']) {
    const given = name === 'list_executions' ? {} : { execution: 'long' }
    longest = Math.max(longest, textIn(await server.ask('tools/call', { name, arguments: given })).length)
  }
  await server.close()
  return [
    within('mcp ready', 'weave mcp: processor time until its tools are listed', ['ms', 250], median(ready)),
    within('mcp memory', 'weave mcp: memory then', ['MB', 90], median(memory)),
    within('mcp page', 'read_journal far into 1,000,000 events', ['ms', 50], median(pages)),
    within('mcp size', 'the longest answer about them', ['characters', 40_000], longest),
  ]
}

function textIn(answer: unknown): string {
  const { content } = answer as { readonly content: readonly { readonly text: string }[] }
  return content[0]?.text ?? ''
}

/** A client of the older era, in as few words as there can be. */
function startMcp(home: string) {
  const child = spawn(process.execPath, [launcher, 'mcp'], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const waiting = new Map<number, (result: unknown) => void>()
  let rest = ''
  let asked = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const { id, result, error } = JSON.parse(line) as { id?: number; result?: unknown; error?: unknown }
      if (error !== undefined) throw new Error(line)
      if (id !== undefined) waiting.get(id)?.(result)
    }
  })
  const ended = new Promise(resolve => child.once('close', resolve))
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = (method: string, params: object = {}): Promise<unknown> => {
    const id = ++asked
    send({ id, method, params })
    return new Promise(resolve => waiting.set(id, resolve))
  }
  const clientInfo = { name: 'bench', version: '1' }
  const shaken = ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
  return {
    pid: child.pid ?? 0,
    ask: async (method: string, params?: object) => {
      await shaken
      return ask(method, params)
    },
    close: () => {
      child.stdin.end()
      return ended
    },
  }
}

/** Checks of hanks of these sizes, and what each may take in milliseconds. */
const sizes = [
  [10, 60],
  [2_000, 350],
  [10_000, 2_500],
] as const

async function editorFigures(base: string): Promise<readonly Figure[]> {
  const ready: number[] = []
  const first: number[] = []
  const memory: number[] = []
  const checks = new Map<number, number[]>(sizes.map(([codons]) => [codons, []]))
  for (let round = 0; round < 7; round++) {
    const editor = await startEditor({
      command: [process.execPath, launcher],
      cwd: base,
      env: { PATH: process.env['PATH'], HOME: base, ANTHROPIC_API_KEY: 'placeholder-key' },
    })
    ready.push(processorMs(editor.pid))
    for (const [codons] of sizes) {
      if (codons > 10 && round > 2) continue
      const { file, text } = writeHank(join(base, `of-${codons}`), codons)
      const before = processorMs(editor.pid)
      editor.open(file, text)
      await editor.diagnostics(file)
      if (codons === 10) first.push(processorMs(editor.pid) - before)
      if (codons === 10) memory.push(megabytes(editor.pid))
      const again = processorMs(editor.pid)
      const times = codons === 10 ? 10 : 2
      for (let at = 0; at < times; at++) {
        editor.change(file, text.replace('"Part 0', `"Part ${at}, 0`))
        await editor.diagnostics(file)
      }
      checks.get(codons)?.push((processorMs(editor.pid) - again) / times)
      editor.notify('textDocument/didClose', { textDocument: { uri: `file://${file}` } })
    }
    await editor.close()
  }
  return [
    within('lsp ready', 'weave lsp: processor time until it is ready', ['ms', 300], median(ready)),
    within('lsp first', 'its first check, of 10 codons', ['ms', 60], median(first)),
    ...sizes.map(([codons, most]) =>
      within(`lsp ${codons}`, `a check of ${codons} codons`, ['ms', most], median(checks.get(codons) ?? [])),
    ),
    within('lsp memory', 'weave lsp: memory with a hank of 10 codons', ['MB', 90], median(memory)),
  ]
}

function writeHank(dir: string, codons: number): { readonly file: string; readonly text: string } {
  mkdirSync(dir, { recursive: true })
  const hank = Array.from({ length: codons }, (_, at) => ({
    id: `codon-${at}`,
    name: `Part ${at} of a long piece of work`,
    model: 'sonnet',
    continuationMode: 'fresh',
    promptFile: 'prompt.md',
    checkpointedFiles: ['src/**', '!src/generated/**'],
    budget: { maxDollars: 1.5 },
  }))
  const text = JSON.stringify({ $schema: 'x', hank }, null, 2)
  const file = join(dir, 'hank.json')
  writeFileSync(join(dir, 'prompt.md'), 'Work.\n')
  writeFileSync(file, text)
  return { file, text }
}

const msPerTick = 10

function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * msPerTick
}

function megabytes(pid: number): number {
  const [, kilobytes = ''] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}
