import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { addressOf, startEditor } from '../support/editor.ts'
import { bash, codon, hankFolder } from '../support/hank-folder.ts'
import { mcpClient } from '../support/mcp-client.ts'
import { readNetworkTrace, tracer } from '../support/traced-network.ts'
import { launcher } from '../support/weave-command.ts'

/** What stays on all day beside an editor or an agent, under a tracer: whom it speaks to, and what it starts. */

const hasTracer = spawnSync('strace', ['-V']).status === 0
const longest = 180_000
/** With a key in reach, and an address where somebody would notice. */
const tempting = { ANTHROPIC_API_KEY: 'a-key-for-nobody-0123', ANTHROPIC_BASE_URL: 'http://127.0.0.1:47811' }

describe('a server for editors', () => {
  verifies(
    ['lsp/silent'],
    'opens no connection and starts no process, whatever it is asked',
    async context => {
      if (!hasTracer) return context.skip('strace is not installed')
      const at = await hankFolder([codon('a'), codon('b', { model: 'sonnett' })], { 'home/.keep': '' })
      const trace = at.path('lsp.trace')
      const editor = await startEditor({
        command: [...tracer(trace), process.execPath, launcher],
        cwd: at.cwd,
        env: { PATH: process.env['PATH'], ...at.env, ...tempting },
      })
      const hank = at.path('hank.json')
      const text = readFileSync(hank, 'utf8')
      editor.open(hank, text)
      expect(await editor.diagnostics(hank)).not.toEqual([])
      const textDocument = { uri: addressOf(hank) }
      const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } }
      const position = { line: 5, character: 17 }
      for (const method of ['completion', 'hover', 'definition', 'references'])
        await editor.request(`textDocument/${method}`, {
          textDocument,
          position,
          context: { includeDeclaration: true },
        })
      for (const method of ['codeAction', 'inlayHint', 'codeLens', 'documentSymbol', 'documentLink'])
        await editor.request(`textDocument/${method}`, { textDocument, range, context: { diagnostics: [] } })
      expect(await editor.close()).toBe(0)
      expect(readNetworkTrace(trace)).toMatchObject({ own: 0, foreign: [], started: 0 })
    },
    longest,
  )
})

describe('a server of tools', () => {
  verifies(
    ['mcp/silent'],
    'opens no connection for what it reads and checks, and for a rehearsal only those of the rehearsal itself',
    async context => {
      if (!hasTracer) return context.skip('strace is not installed')
      const steps = [bash('echo made > made.md'), { say: 'Done.' }]
      const at = (await hankFolder([codon('one')], { 'rehearsal.json': { codons: { one: steps } } })).with(
        tempting,
      )
      expect(at.rehearse('--headless').status).toBe(0)
      const execution = basename(at.execution())
      const reading = at.path('reading.trace')
      const client = await mcpClient(at, { through: tracer(reading) })
      for (const [tool, input] of [
        ['list_executions', {}],
        ['get_execution', { execution }],
        ['read_journal', { execution }],
        ['wait_for', { execution, seconds: 1 }],
        ['list_checkpoints', { execution }],
        ['diff_checkpoints', { execution, from: 'start' }],
        ['read_file', { execution, checkpoint: 'end', path: 'made.md' }],
        ['cost_report', { execution }],
        ['list_models', {}],
        ['validate_hank', { hank: '.' }],
        ['plan_hank', { hank: '.' }],
        ['preview_rollback', { execution, to: 'start' }],
      ] as const) {
        const { isError = false, content } = await client.call(tool, input)
        expect(isError, JSON.stringify(content)).toBe(false)
      }
      await client.close()
      expect(readNetworkTrace(reading)).toMatchObject({ own: 0, foreign: [] })

      const rehearsing = at.path('rehearsing.trace')
      const other = await mcpClient(at, { through: tracer(rehearsing) })
      const { structuredContent } = await other.call('rehearse_hank', { hank: '.' })
      expect(structuredContent).toMatchObject({ status: 'completed' })
      await other.close()
      const { own, foreign } = readNetworkTrace(rehearsing)
      expect(own).toBeGreaterThan(0)
      expect(foreign).toEqual([])
    },
    longest,
  )
})
