import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect } from 'vitest'
import { costOf, createRegistry, findModel } from '../../packages/runtime/src/models/index.ts'
import { verifies } from '../conformance/verifies.ts'
import { expectWholeExport } from '../support/decoded-otlp.ts'
import {
  codon,
  folderAt,
  type HankFolder,
  hankFolder,
  lightAgents,
  lightCodon,
  rig,
} from '../support/hank-folder.ts'
import { steer } from '../support/steering-client.ts'
import { tempDir } from '../support/temp-dir.ts'
import { root, scriptedWeave, version } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

interface Usage {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
}
interface Script {
  readonly codons: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
}

/** The example's own script, with figures of ours at every step that can be charged. */
function withFigures(script: Script): Script {
  let count = 0
  const figures = (): Usage => {
    count++
    return { input: 10_000 + 137 * count, output: 500 + 11 * count, cacheRead: 3_000 * (count % 3) }
  }
  const charged = (step: Readonly<Record<string, unknown>>) =>
    'fail' in step ? step : { ...step, usage: figures() }
  return {
    codons: Object.fromEntries(Object.entries(script.codons).map(([id, steps]) => [id, steps.map(charged)])),
  }
}

const models: Readonly<Record<string, string>> = {
  draft: 'sonnet',
  'review#0': 'openai/gpt-5',
  'review#1': 'openai/gpt-5',
  publish: 'haiku',
}

/** What the figures of the script cost by the prices of the catalogue. */
async function priceOf({ codons }: Script): Promise<number> {
  const { registry } = await createRegistry({ additions: [] })
  let sum = 0
  for (const [id, steps] of Object.entries(codons)) {
    const prices = findModel(models[id] ?? '', registry)?.prices
    for (const step of steps) {
      const usage = step['usage'] as Usage | undefined
      if (!usage) continue
      const { input, output, cacheRead = 0 } = usage
      const tokens = {
        inputTokens: input,
        outputTokens: output,
        cacheReadTokens: cacheRead,
        cacheCreationTokens: 0,
      }
      const cost = costOf(tokens, prices)
      if (cost.known) sum += cost.dollars
    }
  }
  return sum
}

async function twoAgents(): Promise<HankFolder & { readonly script: Script }> {
  const at = folderAt(await tempDir())
  cpSync(join(root, 'examples/02-two-agents'), at.cwd, { recursive: true })
  const script = withFigures(JSON.parse(readFileSync(at.path('rehearsal.json'), 'utf8')) as Script)
  at.write({ 'rehearsal.json': script })
  return { ...at, script }
}

/** A hank of one codon, and a script for it: what is said of the script is the same for every agent. */
const oneCodon = (script: object, fields: object = {}) =>
  hankFolder([lightCodon('only', fields)], { 'weave.json': lightAgents, 'rehearsal.json': script })

describe('a rehearsal', () => {
  verifies(
    [
      'd2/command-rehearse',
      'd13/rest-is-real',
      'd13/placeholder-credentials',
      'd13/marked-on-screen',
      'd13/costs-simulated',
      'd13/script-default',
      'd13/script-codon-steps',
      'd13/script-iteration-steps',
      'd13/step-use-translated',
      'd13/step-fail',
      'd13/step-usage',
      'd13/steps-go-on-retry',
    ],
    'of two agents runs both SDKs without a key, does what the script says and costs what its figures say',
    async () => {
      const at = await twoAgents()
      const { status, stdout, stderr } = at.rehearse()
      expect(status, stderr).toBe(0)
      expect(stderr).toMatch(/^REHEARSAL: no model is asked/)
      expect(stderr).toMatch(/Cost +\$[\d.]+ \(simulated: the model was a script\)/)
      expect(stdout).toMatch(/review#1: attempt 2 of 3 in 1\.0 s \(429: Slow down\.\)/)

      const dir = at.execution()
      expect(sessionsOf(dir)).toEqual({
        'draft.jsonl': 'system',
        'publish.jsonl': 'system',
        'review#0.jsonl': 'agent_start',
        'review#1.jsonl': 'agent_start',
      })
      const page = readFileSync(join(dir, 'agentRoot/page.md'), 'utf8')
      expect(page).toContain('kept with git beside the workspace.')
      expect(page).toContain('also of one that failed')
      expect(existsSync(join(dir, 'agentRoot/begun.txt'))).toBe(true)
      expect(readdirSync(join(at.cwd, 'weave-results')).sort()).toEqual(['page.md', 'summary.md'])
      expect(readFileSync(join(at.cwd, 'weave-results/page.md'), 'utf8')).toBe(page)

      const [row] = JSON.parse(at.weave('list', '--json').stdout) as readonly { readonly cost: number }[]
      expect(row?.cost).toBeCloseTo(await priceOf(at.script), 9)
      expectWholeExport(at)
    },
    180_000,
  )

  verifies(
    ['d13/strict-left-over-steps', 'd13/strict-missing-steps', 'd13/script-flag'],
    'that is strict fails over what is left of the script and over codons without steps, and says which',
    async () => {
      const at = await oneCodon({
        codons: { only: [{ say: 'Done.' }, { say: 'Never asked.' }], other: [{ say: 'x' }] },
      })
      const left = at.rehearse('--strict')
      expect(left.status, left.stderr).toBe(1)
      expect(left.stderr).toMatch(/codons\.only: .*only took 1 of 2 steps/)
      expect(left.stderr).toMatch(/codons\.other: .*no codon took these steps/)
      at.write({ 'empty.json': '{}' })
      const bare = at.rehearse('--strict', '-n', '--script', 'empty.json')
      expect(bare.status, bare.stderr).toBe(1)
      expect(bare.stderr).toContain('there are no steps for only')
      expect(existsSync(join(at.executions().at(-1) ?? '', 'agentRoot/rehearsal/only.md'))).toBe(true)
    },
    60_000,
  )

  verifies(
    ['d14/rehearsal-own-prompt', 'd13/no-script'],
    'without a script has each codon write the first lines of its own prompt, with both SDKs, also in a conversation',
    async () => {
      const hank = [
        codon('vendor', { promptText: 'Write a note.\nKeep it short.' }),
        codon('vendor-next', { promptText: 'Now another.', continuationMode: 'continue-previous' }),
        codon('embedded', { model: 'openai/gpt-5', promptText: 'Write a page.\nKeep it long.' }),
      ]
      const at = await hankFolder({ globalSystemPromptText: 'Be brief.', hank })
      const { status, stdout, stderr } = at.rehearse()
      expect(status, stderr).toBe(0)
      const folder = at.workspace('rehearsal')
      const written = Object.fromEntries(
        readdirSync(folder).map(name => [name, readFileSync(join(folder, name), 'utf8')]),
      )
      expect(written).toEqual({
        'vendor.md': '# vendor\n\nWrite a note.\nKeep it short.\n',
        'vendor-next.md': '# vendor-next\n\nNow another.\n',
        'embedded.md': '# embedded\n\nWrite a page.\nKeep it long.\n',
      })
      for (const id of ['vendor', 'vendor-next', 'embedded'])
        expect(stdout).toContain(`I wrote the first lines of my prompt to rehearsal/${id}.md.`)
    },
    180_000,
  )

  verifies(
    ['d13/steps-run-out', 'd13/step-fail'],
    'whose steps end with a failure fails, also when the agent asks again by itself, fresh or in a conversation',
    async () => {
      const hello = [{ say: 'Hello.' }]
      const fails = [{ fail: { status: 400, message: 'Not like that.' } }]
      const next = { continuationMode: 'continue-previous', onFailure: 'ignore' }
      const at = await hankFolder(
        [
          codon('a'),
          codon('b', next),
          codon('c', { model: 'openai/gpt-5' }),
          codon('d', { ...next, model: 'openai/gpt-5', onFailure: 'abort' }),
        ],
        { 'rehearsal.json': { codons: { a: hello, b: fails, c: hello, d: fails } } },
      )
      const { status, stdout, stderr } = at.rehearse('--strict')
      expect(status, stderr).toBe(1)
      expect(stdout).toMatch(/codon b failed \(.*400.*Not like that\./)
      expect(stdout).toMatch(/codon d failed \(.*400.*Not like that\./)
      expect(stdout).not.toContain('Done.')
      expect(stdout).not.toContain('attempt 2')
    },
    180_000,
  )

  verifies(['d13/script-strict'], 'is refused with the place of every mistake in its script', async () => {
    const at = await oneCodon({ codons: { only: [{ sai: 'Done.' }] } })
    const { status, stderr } = at.rehearse()
    expect(status).toBe(1)
    expect(stderr).toMatch(/rehearsal\.json:\d+:\d+: .*codons\.only\[0\]/)
    expect(existsSync(join(at.cwd, 'home'))).toBe(false)
  })

  verifies(
    ['d13/not-resumed-by-real', 'd13/real-not-resumed'],
    'and a real run never go on with what the other has begun',
    async () => {
      const at = await oneCodon({ codons: { only: [{ say: 'Done.' }] } }, rig('test -n "$MENDED"'))
      const mended = at.with({ MENDED: 'yes' })
      expect(at.rehearse().status).toBe(1)
      const rehearsal = at.execution()
      expect((await mended.scripted()).status).toBe(0)
      const real = at.executions().find(dir => dir !== rehearsal) ?? ''
      expect(at.executions().length).toBe(2)
      expect(existsSync(join(real, 'agentRoot/only.md'))).toBe(true)

      expect(await at.scripted('-e', rehearsal)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('is the execution of a rehearsal'),
      })
      expect(at.rehearse('-e', real)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('is the execution of a real run'),
      })
      expect(mended.rehearse()).toMatchObject({
        status: 0,
        stderr: expect.stringContaining(`Execution  ${rehearsal}`),
      })
      expect(at.executions().length).toBe(2)
    },
    60_000,
  )

  verifies(['d13/marked-in-ready', 'd1/server-version'], 'tells clients that it is one', async () => {
    const at = await oneCodon({ codons: { only: [{ say: 'Done.' }] } })
    const run = at.start('rehearse', '--no-autostart')
    await run.until('Clients ')
    const { client, until } = await steer(at.execution())
    expect((await until('server.ready')).data).toMatchObject({ rehearsal: true, serverVersion: version })
    await client.send('server.shutdown')
    expect(await run.ended).toBe(0)
  })
})

/** What each session log begins with: only the agent SDK says `system`, only the embedded one `agent_start`. */
function sessionsOf(execution: string): Readonly<Record<string, string>> {
  const base = join(execution, '.weave/sessions')
  const [run = ''] = readdirSync(base)
  return Object.fromEntries(
    readdirSync(join(base, run)).map(name => {
      const [first = '{}'] = readFileSync(join(base, run, name), 'utf8').split('\n')
      return [name, (JSON.parse(first) as { readonly type: string }).type]
    }),
  )
}
