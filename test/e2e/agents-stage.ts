import { expect, onTestFinished } from 'vitest'
import { systemClock } from '../../packages/runtime/src/kit/index.ts'
import type { Answer, ModelRequest } from '../../packages/runtime/src/model-server/index.ts'
import { startRecordedServer } from '../../packages/runtime/test/model-server/recorded-server.ts'
import { codon as codonOf, hankFolder, jsonLines, type StoredEvent } from '../support/hank-folder.ts'
import { scriptedAgents } from '../support/scripted-acp.ts'
import type { RunningCommand } from '../support/weave-command.ts'

/** All harnesses speak to the same provider in the same dialect. */
export const agents = {
  Claude: 'claude-sonnet-4-5',
  Pi: 'pi/anthropic/claude-sonnet-4-5',
  ACP: 'acp/scripted/claude-sonnet-4-5',
} as const
export type Agent = keyof typeof agents
export const agentNames = Object.keys(agents) as readonly Agent[]

/** One codon, and what its model answers, one request after the other; the last answer again and again. */
export interface Scene {
  readonly id: string
  readonly codon?: object
  readonly answers: readonly Answer[]
  /** How long the provider thinks about the request of this number, from 1. */
  readonly thinks?: (number: number) => Promise<unknown>
}

export interface Stage {
  readonly run: RunningCommand
  /** When each request for a codon came. */
  readonly asked: (id: string) => readonly number[]
  /** The journal, once the run has ended. */
  readonly journal: () => readonly StoredEvent[]
  /** What is in a file of the workspace; '' when it is not there. */
  readonly file: (name: string) => string
}

export interface StageOptions {
  readonly agent: Agent
  readonly scenes: readonly Scene[]
  readonly isProxied?: boolean
  readonly words?: readonly string[]
  /** Where the provider is, instead of the scripted one. */
  readonly provider?: string
  /** Of a request that belongs to no codon. */
  readonly other?: (request: ModelRequest) => Answer | Promise<Answer>
}

/** Runs the built command with real agents against a provider on loopback. */
export async function stage(options: StageOptions): Promise<Stage> {
  const { agent, scenes, isProxied = false, words = [], other = () => say('Hm.') } = options
  const times = new Map<string, number[]>()
  const respond = async (request: ModelRequest): Promise<Answer> => {
    const scene = scenes.find(({ id }) => id === codonIn(request))
    if (!scene || request.model.includes('haiku')) return other(request)
    const known = times.get(scene.id) ?? []
    times.set(scene.id, [...known, performance.now()])
    await scene.thinks?.(known.length + 1)
    return scene.answers[known.length] ?? scene.answers.at(-1) ?? say('')
  }
  const server = await startRecordedServer({ clock: systemClock, respond })
  onTestFinished(() => server.close())
  const provider = options.provider ?? server.url
  const at = await hankFolder(
    scenes.map(({ id, codon }) => codonOf(id, { model: agents[agent], ...codon })),
    { 'weave.json': scriptedAgents },
  )
  const there = at.with({ ANTHROPIC_API_KEY: 'a-key-of-ours-0123', ANTHROPIC_BASE_URL: provider })
  const proxy = isProxied ? ['--proxy', '--vendor-base-url', provider] : []
  return {
    run: there.start('--headless', '--skip-self-test', ...proxy, ...words),
    asked: id => times.get(id) ?? [],
    journal: () => {
      const { status, stdout, stderr } = there.weave('journal', at.execution(), '--json')
      expect(status, stderr).toBe(0)
      return jsonLines(stdout)
    },
    file: name => (at.executions().length === 0 ? '' : (at.read(name) ?? '')),
  }
}

/** By the last prompt that names one. */
function codonIn({ turns }: ModelRequest): string | undefined {
  const texts = turns.filter(({ role }) => role === 'user').map(({ text }) => text)
  return texts.flatMap(text => [...text.matchAll(/Work on (\w+)\./g)]).at(-1)?.[1]
}

type Usage = NonNullable<Extract<Answer, { readonly kind: 'message' }>['usage']>

export function say(text: string, usage?: Usage): Answer {
  return { kind: 'message', parts: [{ kind: 'text', text }], ...(usage && { usage }) }
}

export function bash(command: string, usage?: Usage): Answer {
  return {
    kind: 'message',
    parts: [{ kind: 'use', use: 'bash', input: { command } }],
    ...(usage && { usage }),
  }
}

/** Those of one codon. */
export function told(
  journal: readonly StoredEvent[],
  type: string,
  codonId: string,
): readonly StoredEvent['data'][] {
  return journal
    .filter(event => event.type === type && event.data['codonId'] === codonId)
    .map(({ data }) => data)
}
