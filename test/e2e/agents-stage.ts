import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { systemClock } from '../../packages/runtime/src/kit/index.ts'
import type { Answer, ModelRequest } from '../../packages/runtime/src/model-server/index.ts'
import { startRecordedServer } from '../../packages/runtime/test/model-server/recorded-server.ts'
import { launcher, runCli } from '../support/run-cli.ts'
import { type RunningCommand, startCommand } from '../support/running-command.ts'
import { tempDir } from '../support/temp-dir.ts'

/** Both harnesses speak to the same provider in the same dialect. */
export const agents = { Claude: 'claude-sonnet-4-5', Pi: 'pi/anthropic/claude-sonnet-4-5' } as const
export type Agent = keyof typeof agents
export const agentNames = Object.keys(agents) as readonly Agent[]

/** One codon, and what its model answers, one request after the other; the last answer again and again. */
export interface Scene {
  readonly id: string
  readonly codon?: object
  readonly answers: readonly Answer[]
}

export interface Told {
  readonly type: string
  readonly time: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface Stage {
  readonly run: RunningCommand
  readonly agentRoot: () => string
  readonly execution: () => string
  /** When each request for a codon came. */
  readonly asked: (id: string) => readonly number[]
  /** The journal, once the run has ended. */
  readonly journal: () => readonly Told[]
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
  const cwd = await tempDir()
  const times = new Map<string, number[]>()
  const respond = (request: ModelRequest): Answer | Promise<Answer> => {
    const scene = scenes.find(({ id }) => id === codonOf(request))
    if (!scene || request.model.includes('haiku')) return other(request)
    const known = times.get(scene.id) ?? []
    times.set(scene.id, [...known, performance.now()])
    return scene.answers[known.length] ?? scene.answers.at(-1) ?? say('')
  }
  const server = await startRecordedServer({ clock: systemClock, respond })
  onTestFinished(() => server.close())
  const provider = options.provider ?? server.url
  const items = scenes.map(({ id, codon }) => ({ ...usual(id, agent), ...codon }))
  writeFileSync(join(cwd, 'hank.json'), JSON.stringify({ $schema: 'x', hank: items }))
  const home = join(cwd, 'home')
  mkdirSync(home)
  const env = { HOME: home, ANTHROPIC_API_KEY: 'a-key-of-ours-0123', ANTHROPIC_BASE_URL: provider }
  const proxy = isProxied ? ['--proxy', '--vendor-base-url', provider] : []
  const run = startCommand(launcher, ['--headless', '--skip-self-test', ...proxy, ...words], { cwd, env })
  const execution = (): string => {
    const base = join(home, '.weave-executions')
    return join(base, readdirSync(base)[0] ?? '')
  }
  const agentRoot = (): string => join(execution(), 'agentRoot')
  return {
    run,
    agentRoot,
    execution,
    asked: id => times.get(id) ?? [],
    journal: () => journalOf(execution(), env),
    file: name => readIfThere(join(agentRoot(), name)),
  }
}

function usual(id: string, agent: Agent): object {
  return {
    id,
    name: id,
    model: agents[agent],
    continuationMode: 'fresh',
    promptText: `Work on ${id}.`,
    checkpointedFiles: ['*.md'],
  }
}

/** By the last prompt that names one. */
function codonOf({ turns }: ModelRequest): string | undefined {
  const texts = turns.filter(({ role }) => role === 'user').map(({ text }) => text)
  return texts.flatMap(text => [...text.matchAll(/Work on (\w+)\./g)]).at(-1)?.[1]
}

function journalOf(execution: string, env: Readonly<Record<string, string>>): readonly Told[] {
  const { status, stdout, stderr } = runCli(['journal', execution, '--json'], { env })
  expect(status, stderr).toBe(0)
  return stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Told)
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
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
export function told(journal: readonly Told[], type: string, codonId: string): readonly Told['data'][] {
  return journal
    .filter(event => event.type === type && event.data['codonId'] === codonId)
    .map(({ data }) => data)
}
