import { type BuiltInAgentName, builtInAgents, type HarnessName } from '../models/index.ts'

/**
 * TABLE of the harnesses whose packages a person installs, by the word that `weave harness` knows them by. The only place
 * with their versions: an SDK of another version may have another interface.
 */
export interface InstallableHarness {
  readonly title: string
  readonly harness: HarnessName
  /** Of the harness `acp`: the agent that it is. */
  readonly agent?: BuiltInAgentName
  /** Package → exact version. The first one is what the harness is known by. */
  readonly packages: Readonly<Record<string, string>>
  /** What it takes on disk with all its packages, roughly: differs a little between systems. */
  readonly megabytes: number
}

export const installableHarnesses = {
  claude: {
    title: 'Claude Agent SDK',
    harness: 'sdk',
    packages: { '@anthropic-ai/claude-agent-sdk': '0.3.325' },
    megabytes: 413,
  },
  pi: {
    title: 'Pi SDK',
    harness: 'embedded',
    packages: { '@earendil-works/pi-coding-agent': '0.74.2', '@earendil-works/pi-ai': '0.74.2' },
    megabytes: 195,
  },
  gemini: {
    title: builtInAgents.gemini.title,
    harness: 'acp',
    agent: 'gemini',
    packages: { '@google/gemini-cli': builtInAgents.gemini.tried },
    megabytes: 100,
  },
  opencode: {
    title: builtInAgents.opencode.title,
    harness: 'acp',
    agent: 'opencode',
    packages: { 'opencode-ai': builtInAgents.opencode.tried },
    megabytes: 175,
  },
  codex: {
    title: 'Codex for ACP',
    harness: 'acp',
    agent: 'codex',
    packages: { '@agentclientprotocol/codex-acp': builtInAgents.codex.tried },
    megabytes: 412,
  },
  'claude-acp': {
    title: 'Claude Code for ACP',
    harness: 'acp',
    agent: 'claude',
    packages: { '@agentclientprotocol/claude-agent-acp': builtInAgents.claude.tried },
    megabytes: 287,
  },
} as const satisfies Readonly<Record<string, InstallableHarness>>

export type HarnessWord = keyof typeof installableHarnesses

export const harnessWords: readonly HarnessWord[] = [
  'claude',
  'pi',
  'gemini',
  'opencode',
  'codex',
  'claude-acp',
]

/** The word for what a model runs on; none for an agent of the person's own. */
export function harnessWordOf({ harness, agent }: RunOn): HarnessWord | undefined {
  return harnessWords.find(word => {
    const row: InstallableHarness = installableHarnesses[word]
    return row.harness === harness && row.agent === agent
  })
}

interface RunOn {
  readonly harness: HarnessName
  readonly agent?: string | undefined
}

export function isHarnessWord(word: string): word is HarnessWord {
  return Object.hasOwn(installableHarnesses, word)
}

/** What to type to have it. */
export function installLine(word: HarnessWord): string {
  return `weave harness add ${word}`
}

/** The version that this program was made for. */
export function pinOf(word: HarnessWord): string {
  return Object.values(installableHarnesses[word].packages)[0] ?? ''
}
