import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { installableHarnesses, resolveHarness } from '../../packages/runtime/src/harness/index.ts'
import { systemClock } from '../../packages/runtime/src/kit/index.ts'
import type { Answer, ModelRequest } from '../../packages/runtime/src/model-server/index.ts'
import { builtInAgents } from '../../packages/runtime/src/models/index.ts'
import { startRecordedServer } from '../../packages/runtime/test/model-server/recorded-server.ts'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolder, jsonLines, rig } from '../support/hank-folder.ts'
import { leftovers } from '../support/marked-processes.ts'
import { isProof, tally } from '../support/proof.ts'
import { traceNetwork } from '../support/traced-network.ts'
import { bash, say, told } from './agents-stage.ts'

/** The agents as their makers publish them, by `weave harness add`. Whoever is not installed is skipped, with a word. */
const agents = {
  gemini: { word: 'gemini', model: 'gemini-2.5-pro' },
  opencode: { word: 'opencode', model: 'gpt-5-mini' },
  codex: { word: 'codex', model: 'gpt-5' },
  claude: { word: 'claude-acp', model: 'claude-sonnet-4-5' },
} as const
type Agent = keyof typeof agents
const names = Object.keys(agents) as readonly Agent[]

const home = process.env['WEAVE_PROOF_HOME'] ?? homedir()
const isThere = ({ word }: (typeof agents)[Agent]): boolean =>
  resolveHarness(word, { program: import.meta.url, home }).ok

const longest = 600_000
const usage = { input: 1_001, output: 11, cacheRead: 0, cacheWrite: 0 }
const limited = (retryAfter: number) =>
  ({ kind: 'error', status: 429, message: 'Later.', retryAfter }) as const
const patient = { onFailure: 'retry', retryConfig: { maxAttempts: 2, delayMs: 100 } }

interface Scene {
  readonly id: string
  readonly codon?: object
  readonly answers: readonly Answer[]
}

/** A folder in which an agent asks a scripted provider, and what that has counted. */
async function stageFor(agent: Agent, scenes: readonly Scene[]) {
  const asked = new Map<string, number>()
  const read = new Set<string>()
  const charged = new Map<string, number>()
  const respond = (request: ModelRequest): Answer => {
    const id = codonIn(request)
    for (const [, name = ''] of JSON.stringify(request).matchAll(/The mark of ([\w.]+)\./g)) read.add(name)
    const scene = scenes.find(each => each.id === id)
    const count = asked.get(id) ?? 0
    const isWork = request.tools.length > 0
    if (isWork) asked.set(id, count + 1)
    const answer = (isWork ? (scene?.answers[count] ?? scene?.answers.at(-1)) : undefined) ?? say('Hm.')
    if (answer.kind !== 'message') return answer
    charged.set(id, (charged.get(id) ?? 0) + usage.input + usage.output)
    return { ...answer, usage }
  }
  const server = await startRecordedServer({ clock: systemClock, respond })
  onTestFinished(() => server.close())
  const model = `acp/${agent}/${agents[agent].model}`
  const folder = await hankFolder(scenes.map(({ id, codon: own }) => codon(id, { model, ...own })))
  lendHarness(folder, agents[agent].word)
  const at = folder.with({
    ANTHROPIC_API_KEY: 'a-key-of-ours-0123',
    ANTHROPIC_BASE_URL: server.url,
    OPENAI_API_KEY: 'a-key-of-ours-0123',
    OPENAI_BASE_URL: `${server.url}/v1`,
    GEMINI_API_KEY: 'a-key-of-ours-0123',
    GOOGLE_BASE_URL: server.url,
  })
  const journal = () => jsonLines(at.weave('journal', at.execution(), '--json').stdout)
  return {
    at,
    asked: (id: string) => asked.get(id) ?? 0,
    charged: (id: string) => charged.get(id) ?? 0,
    journal,
    /** The files of the workspace whose marks the provider was told. */
    read: () => [...read].sort(),
  }
}

const instructions = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md']
const marks = instructions.map(name => `echo "The mark of ${name}." > ${name}`).join('; ')

function lendHarness(at: HankFolder, word: string): void {
  const folder = at.path('home/.weave/harnesses')
  mkdirSync(folder, { recursive: true })
  if (!existsSync(join(folder, word))) symlinkSync(join(home, '.weave/harnesses', word), join(folder, word))
}

/** By the last prompt that names one. */
function codonIn({ turns, system }: ModelRequest): string {
  const texts = [system, ...turns.filter(({ role }) => role === 'user').map(({ text }) => text)]
  return texts.flatMap(text => [...text.matchAll(/Work on (\w+)\./g)]).at(-1)?.[1] ?? ''
}

describe.each(names)('%s', agent => {
  const { word } = agents[agent]
  const facts = builtInAgents[agent]
  const continues = !('resume' in facts)
  const { title } = installableHarnesses[word]
  if (!isProof || !isThere(agents[agent])) {
    const why = isProof
      ? `the ${title} is not installed: weave harness add ${word}`
      : 'npm run proof:agents runs it'
    test.skip(`is left out: ${why}`)
    return
  }

  verifies(
    ['acp/real-agents', 'acp/ledger', 'acp/wait', 'acp/park', 'acp/overflow'],
    'writes a file, waits, overflows, continues and parks, and is charged for what it used',
    async () => {
      const scenes: readonly Scene[] = [
        { id: 'file', codon: rig(marks), answers: [bash('echo "$WEAVE_CODON_ID" > file.md'), say('Done.')] },
        ...(continues
          ? [{ id: 'more', codon: { continuationMode: 'continue-previous' }, answers: [say('More.')] }]
          : []),
        { id: 'short', answers: [limited(2), say('Done.')] },
        { id: 'full', codon: { onFailure: 'ignore' }, answers: [{ kind: 'overflow' }] },
        { id: 'parked', codon: patient, answers: [limited(120)] },
      ]
      const { at, asked, charged, journal, read } = await stageFor(agent, scenes)
      const run = at.start('--headless', '--skip-self-test')
      await run.until(/parked.* waits until \S+/)
      expect(await run.kill('SIGTERM')).toBe(143)
      await vi.waitFor(() => expect(leftovers(at.execution())).toEqual([]), { timeout: 10_000 })
      const events = journal()
      const ends = (id: string) => told(events, 'codon.completed', id)
      expect(at.read('file.md'), run.said()).toBe('file\n')
      expect(ends('file')).toMatchObject([{ success: true }])
      expect(read()).toEqual(facts.reads)
      expect(ends('short')).toMatchObject([{ success: true }])
      expect(asked('short')).toBeGreaterThanOrEqual(2)
      expect(asked('full')).toBeLessThanOrEqual(3)
      const transitions = events.map(({ data }) => JSON.stringify(data))
      expect(
        transitions.some(text => text.includes('"full"') && text.includes('"contextExceeded":true')),
      ).toBe(true)
      if (continues) expect(ends('more')).toMatchObject([{ success: true }])
      for (const id of ['file', 'short', ...(continues ? ['more'] : [])]) {
        const used = told(events, 'token.usage', id)
        const sum = used.reduce(
          (total, { inputTokens, outputTokens }) => total + Number(inputTokens) + Number(outputTokens),
          0,
        )
        expect(sum, id).toBe(charged(id))
      }
      tally('codons of real agents', scenes.length)
    },
    longest,
  )

  verifies(
    ['acp/real-agents'],
    'is cancelled, and nothing is left after SIGKILL of the server',
    async () => {
      // One agent goes on after ten seconds and leaves its command running.
      const hanging: readonly Answer[] = [
        bash('echo begun > begun.md; sleep 300'),
        { kind: 'hang', seconds: 300 },
      ]
      const budget = await stageFor(agent, [
        { id: 'slow', codon: { budget: { maxTimeSeconds: 25 } }, answers: hanging },
      ])
      const stopped = budget.at.start('--headless', '--skip-self-test')
      await stopped.ended
      expect(stopped.said()).toMatch(/budget/)
      expect(leftovers(budget.at.execution())).toEqual([])

      const killed = await stageFor(agent, [{ id: 'slow', answers: hanging }])
      const run = killed.at.start('--headless', '--skip-self-test')
      await vi.waitFor(() => expect(killed.at.read('begun.md'), run.said()).toBe('begun\n'), {
        timeout: 120_000,
        interval: 200,
      })
      expect(leftovers(killed.at.execution()).length).toBeGreaterThan(0)
      await run.kill('SIGKILL')
      await vi.waitFor(() => expect(leftovers(killed.at.execution())).toEqual([]), { timeout: 10_000 })
      tally('servers killed under real agents', 1)
    },
    longest,
  )

  verifies(
    ['acp/real-agents', 'acp/rehearsal'],
    'is rehearsed, and asks nobody else',
    async () => {
      const folder = await hankFolder([codon('one', { model: `acp/${agent}/${agents[agent].model}` })])
      lendHarness(folder, word)
      const traced = await traceNetwork({
        cwd: folder.cwd,
        env: folder.env,
        words: ['rehearse', '--headless'],
      })
      expect(traced.status, traced.stderr).toBe(0)
      expect(folder.read('rehearsal/one.md')).toContain('# one')
      const lookups = traced.foreign.filter(line => /htons\(53\)/.test(line))
      if (facts.asksToo.length === 0) expect(lookups).toEqual([])
      tally('rehearsals of real agents', 1)
    },
    longest,
  )
})
