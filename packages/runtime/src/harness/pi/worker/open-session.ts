import { closeSync, existsSync, openSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import type { Api, Model } from '@earendil-works/pi-ai'
import type {
  AgentSession,
  BashOperations,
  ResourceLoader,
  SessionManager,
} from '@earendil-works/pi-coding-agent'
import { ensureDir } from '../../../files/index.ts'
import { type Clock, processTable, type Result, signalGroup, systemClock } from '../../../kit/index.ts'
import type { Trouble } from '../../failure.ts'
import { importPackage, ownPlaces, requireHarness } from '../../resolve-harness.ts'
import { agentDir } from '../worker-environment.ts'
import type { AgentTask } from '../worker-protocol.ts'
import { toolsFor, workspaceFiles } from './workspace-files.ts'

const graceMs = 2_000

/** The SDK kills a command at once when the agent is stopped. Here it is asked first: SIGTERM to its group. */
export function gentleBash(local: BashOperations, clock: Clock): BashOperations {
  return {
    async exec(command, cwd, { signal, ...options }) {
      const kill = new AbortController()
      const over = new AbortController()
      const stop = async (): Promise<void> => {
        await askCommands()
        await clock.sleep(graceMs, over.signal).then(
          () => kill.abort(),
          () => undefined,
        )
      }
      const ask = () => void stop()
      signal?.addEventListener('abort', ask, { once: true })
      if (signal?.aborted) kill.abort()
      try {
        const result = await local.exec(command, cwd, { ...options, signal: kill.signal })
        // What the SDK expects of a command that was stopped.
        if (signal?.aborted) throw new Error('aborted')
        return result
      } finally {
        signal?.removeEventListener('abort', ask)
        over.abort()
      }
    },
  }
}

/** Commands are all that this process ever starts; each leads a group of its own. */
async function askCommands(): Promise<void> {
  for (const { pid, parent, group } of await processTable()) {
    if (parent === process.pid && group === pid) signalGroup(pid, 'SIGTERM')
  }
}

/** What can be had of a session, or why it cannot. */
type Had<Good extends object> = Result<Good, Pick<Trouble, 'kind' | 'message'>>

/** Without a word of the codon the SDK's own default; it asks for less where a model can do less. */
function levelOf({ thinking = 'medium' }: AgentTask) {
  return thinking === 'max' ? 'xhigh' : thinking
}

export interface SessionParts {
  readonly model: Model<Api>
  /** Besides those of the SDK. */
  readonly tools?: readonly ReturnType<Sdk['agent']['defineTool']>[]
}

/**
 * A new session, or a copy of an earlier one under an id of its own. The task and the instructions and skills of the workspace
 * have a say in it: no file of the person is read, and none for settings, extensions or keys.
 */
export async function openSession(
  sdk: Sdk,
  task: AgentTask,
  { model, tools: more = [] }: SessionParts,
): Promise<Had<{ readonly session: AgentSession }>> {
  const { AuthStorage, ModelRegistry, SettingsManager, createAgentSession } = sdk.agent
  const { createBashToolDefinition, createLocalBashOperations } = sdk.agent
  const key = task.key ?? sdk.ai.getEnvApiKey(task.provider)
  const authStorage = key === undefined ? storedLogins(sdk, task) : AuthStorage.inMemory()
  if (!authStorage) {
    const message = `There is no key for ${task.provider}. Set ${task.keyVariables.join(' or ')}.`
    return { ok: false, kind: 'launch', message }
  }
  const sessions = await sessionManager(sdk, task)
  if (!sessions.ok) return sessions
  if (key !== undefined) authStorage.setRuntimeApiKey(task.provider, key)
  const { session } = await createAgentSession({
    cwd: task.cwd,
    agentDir: agentDir(task.home),
    model,
    thinkingLevel: levelOf(task),
    authStorage,
    modelRegistry: ModelRegistry.inMemory(authStorage),
    // Retrying is the runner's business; the SDK's clients would do it on their own.
    settingsManager: SettingsManager.inMemory({
      compaction: { enabled: task.autoCompact },
      retry: { enabled: false, provider: { maxRetries: 0 } },
      enableInstallTelemetry: false,
      transport: 'sse',
    }),
    resourceLoader: resources(sdk, task, await workspaceFiles(sdk.agent, task)),
    sessionManager: sessions.manager,
    tools: [...toolsFor(task), ...more.map(({ name }) => name)],
    customTools: [
      ...more,
      sdk.agent.defineTool(
        createBashToolDefinition(task.cwd, {
          operations: gentleBash(createLocalBashOperations(), systemClock),
          spawnHook: context => ({ ...context, env: { ...task.env } }),
        }),
      ),
    ],
  })
  return { ok: true, session }
}

/** Undefined when there is none for the provider. */
function storedLogins({ agent }: Sdk, { authFile, provider }: AgentTask) {
  if (authFile === undefined || !existsSync(authFile)) return undefined
  const stored = agent.AuthStorage.create(authFile)
  return stored.has(provider) ? stored : undefined
}

async function sessionManager(
  { agent }: Sdk,
  task: AgentTask,
): Promise<Had<{ readonly manager: SessionManager }>> {
  const folder = join(agentDir(task.home), 'sessions')
  const { previousSessionId } = task
  await ensureDir(folder)
  if (previousSessionId === undefined) {
    const manager = agent.SessionManager.create(task.cwd, folder)
    makePrivate(manager.getSessionFile())
    return { ok: true, manager }
  }
  const file = (await readdir(folder)).find(name => name.endsWith(`_${previousSessionId}.jsonl`))
  const lost = `The session ${previousSessionId} to go on from is not there any more`
  if (file === undefined) return { ok: false, kind: 'lost-session', message: `${lost}.` }
  try {
    const manager = privately(() => agent.SessionManager.forkFrom(join(folder, file), task.cwd, folder))
    return { ok: true, manager }
  } catch (error) {
    return { ok: false, kind: 'lost-session', message: `${lost}: ${String(error)}` }
  }
}

/** The SDK adds to the file when there is something to say. One that is there already keeps its mode. */
function makePrivate(file: string | undefined): void {
  if (file !== undefined) closeSync(openSync(file, 'a', 0o600))
}

/** For what the SDK writes before it returns. The tools of the agent, which begin later, make files with our usual umask. */
function privately<T>(write: () => T): T {
  // A thread, as tests have it, cannot change what the whole process goes by.
  if (!isMainThread) return write()
  const usual = process.umask(0o077)
  try {
    return write()
  } finally {
    process.umask(usual)
  }
}

/** Instead of a loader that looks for files everywhere. */
function resources(
  { agent }: Sdk,
  { systemPrompt }: AgentTask,
  files: Pick<ResourceLoader, 'getAgentsFiles' | 'getSkills'>,
): ResourceLoader {
  const runtime = agent.createExtensionRuntime()
  return {
    getExtensions: () => ({ extensions: [], errors: [], runtime }),
    getPrompts: () => ({ prompts: [], diagnostics: [] }),
    getThemes: () => ({ themes: [], diagnostics: [] }),
    ...files,
    getSystemPrompt: () => undefined,
    getAppendSystemPrompt: () => (systemPrompt === undefined ? [] : [systemPrompt]),
    extendResources: () => undefined,
    reload: () => Promise.resolve(),
  }
}

/** Big and optional: imported by a worker, and by nobody else. */
export interface Sdk {
  readonly agent: typeof import('@earendil-works/pi-coding-agent')
  readonly ai: typeof import('@earendil-works/pi-ai')
  /** Another door of `ai`. */
  readonly importDialect: (door: string) => Promise<unknown>
}

/** `home`: where packages are looked for that are not beside the program. Rejects with what to do when there are none. */
export async function loadSdk(home = homedir()): Promise<Sdk> {
  const folders = requireHarness('pi', { ...ownPlaces(), home })
  const aiFolder = folders['@earendil-works/pi-ai'] ?? ''
  const [ai, agent] = await Promise.all([
    importPackage(aiFolder),
    importPackage(folders['@earendil-works/pi-coding-agent'] ?? ''),
  ])
  return { ai, agent, importDialect: (door: string) => importPackage(aiFolder, door) } as Sdk
}
