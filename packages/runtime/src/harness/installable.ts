import type { HarnessName } from '../models/index.ts'

/**
 * TABLE of the harnesses whose packages a person installs, by the word that `weave harness` knows them by. The only place
 * with their versions: an SDK of another version may have another interface.
 */
export interface InstallableHarness {
  readonly title: string
  readonly harness: HarnessName
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
} as const satisfies Readonly<Record<string, InstallableHarness>>

export type HarnessWord = keyof typeof installableHarnesses

export const harnessWords: readonly HarnessWord[] = ['claude', 'pi']

/** The word for what a model runs on. */
export function harnessWordOf(name: HarnessName): HarnessWord {
  return harnessWords.find(word => installableHarnesses[word].harness === name) ?? 'claude'
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
