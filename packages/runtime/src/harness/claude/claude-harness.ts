import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, type LaunchOptions, type Log, silentLog, systemClock } from '../../kit/index.ts'
import { endpointFor, loginFor, otherLogins } from '../../models/index.ts'
import type { Harness, HarnessSurroundings, ToolChoice } from '../harness.ts'
import { startAgentProcess } from './agent-process.ts'
import { operatorServers } from './operator-servers.ts'
import { logVariables } from './provider-log.ts'
import { runAgent } from './run.ts'
import { loadSdk, queryOptions, type SdkModule } from './sdk.ts'
import { createWarmStart, type Launch } from './warm-start.ts'
import { workspaceWords } from './workspace-words.ts'

type Environment = Readonly<Record<string, string>>

interface ChildEnvironmentOptions {
  readonly retries: number
  readonly isRoot: boolean
  /** The program keeps its things where the person has them. */
  readonly userSettings?: boolean | undefined
}

/** The codon's own, less what would lead the program elsewhere, and with what it needs to keep to itself. */
export function childEnvironment(
  { env, home, provider, autoCompact }: HarnessSurroundings,
  { retries, isRoot, userSettings = false }: ChildEnvironmentOptions,
): Environment {
  const endpoint = endpointFor(provider, env)
  const login = loginFor({ provider, harness: 'sdk', environment: env, files: {} })
  const others = otherLogins(login)
  const left = Object.entries(env).filter(([name]) => !isForeign(name) && !others.has(name))
  return {
    // As long as an open tool call may take.
    BASH_MAX_TIMEOUT_MS: '1800000',
    ...Object.fromEntries(left),
    ...(login?.kind === 'key' && { ANTHROPIC_API_KEY: login.value }),
    ...(endpoint.ok && endpoint.variable !== undefined && { ANTHROPIC_BASE_URL: endpoint.root }),
    ...(!userSettings && { CLAUDE_CONFIG_DIR: configDirectory(home) }),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    // A command in the background would begin a turn of its own when it ends, also after the last one.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_STARTUP_FAILURE_RESULTS: '1',
    CLAUDE_CODE_MAX_RETRIES: String(retries),
    ...logVariables,
    // With compaction off the program would stop by itself a good way before the window is full.
    ...(!autoCompact && {
      DISABLE_AUTO_COMPACT: '1',
      CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE: '10000000',
    }),
    // Without it the program refuses to work for root. Only this value counts.
    ...(isRoot && { IS_SANDBOX: '1' }),
  }
}

/** Marks of a session of the same program around us: with them it would take itself for a part of that session. */
const sessionMarks = new Set([
  'AI_AGENT',
  'CLAUDECODE',
  'CLAUDE_AGENT_SDK_VERSION',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_EXECPATH',
  'CLAUDE_CODE_MESSAGING_SOCKET',
  'CLAUDE_CODE_MESSAGING_TOKEN',
  'CLAUDE_CODE_SESSION_ATTENDED',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_SSE_PORT',
  'CLAUDE_PID',
])

/** Another provider, past every address that was given, and none of those that a login is known for. */
const otherProvider = /^CLAUDE_CODE_USE_(ANTHROPIC_AWS|ANTHROPIC_GOOGLE_CLOUD|GATEWAY|MANTLE)$/

function isForeign(name: string): boolean {
  return sessionMarks.has(name) || otherProvider.test(name)
}

function configDirectory(home: string): string {
  return join(home, 'claude')
}

export interface SdkHarnessOptions extends Pick<LaunchOptions, 'own'> {
  readonly clock?: Clock
  readonly log?: Log
  readonly graceMs?: number
  /** How often the SDK itself asks the provider again. */
  readonly retries?: number
  /** By default all that the agent has. */
  readonly tools?: ToolChoice | undefined
  /** Whether the agent reads, and keeps, what it does for the person outside of weave. */
  readonly userSettings?: boolean | undefined
  /** Rejects when the SDK is not there. */
  readonly load?: () => Promise<SdkModule>
}

/**
 * Agents on the Claude Agent SDK, which starts a program for each task. Nothing of the SDK is loaded before it is needed.
 * What the program keeps lies under `home`, and of settings, memory files and servers it reads those of the workspace, unless
 * the person's own are asked for. By itself it talks to nobody but the provider.
 */
export function createSdkHarness(options: SdkHarnessOptions = {}): Harness {
  const { clock = systemClock, log = silentLog, graceMs = 5_000, retries = 2, load = loadSdk, own } = options
  const { tools = { deny: [] }, userSettings = false } = options
  const warm = createWarmStart(load)

  function launchFor(surroundings: HarnessSurroundings): Launch {
    const operator = operatorServers(surroundings.servers)
    const base = childEnvironment(surroundings, { retries, isRoot: process.getuid?.() === 0, userSettings })
    const env = { ...base, ...operator.env }
    const { marker, home, cwd: premises } = surroundings
    const words = workspaceWords({ cwd: premises, userHome: env['HOME'], userSettings })
    makePrivate(configDirectory(home))
    return {
      fingerprint: words.fingerprint,
      key: JSON.stringify([
        surroundings.model,
        surroundings.thinking,
        premises,
        env,
        words,
        operator.mcpServers,
      ]),
      options: task => queryOptions({ ...surroundings, env, tools, words, operator }, task),
      startProcess: ({ command, args, cwd, env }) =>
        startAgentProcess({ command, args, cwd, env, marker, premises, clock, graceMs, own }),
    }
  }

  return {
    prepare: surroundings => warm.prepare(launchFor(surroundings)),
    start: (spec, signal) => runAgent({ spec, signal, launch: launchFor(spec), warm, load, clock, log }),
    close: warm.close,
  }
}

/** Made before the program makes it, which would let everybody in. Where that fails the program says why. */
function makePrivate(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch {
    return
  }
}
