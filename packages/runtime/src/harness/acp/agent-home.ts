import { cp, lstat, mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ensureDir, readRegularFile, removeTree, writeFileAtomic } from '../../files/index.ts'
import { createId, errorCode, fieldOf, textOf } from '../../kit/index.ts'

/**
 * Where an agent keeps what it keeps: `home` while it works, and beside it one copy for each conversation that ended. A
 * conversation that goes on does so in a copy of that copy, so whatever comes of it, the one before can be gone on from
 * again. The path of `home` is always the same: some agents write it down.
 */
export interface AgentHome {
  readonly path: string
  /** Empties the home, or fills it with what the conversation left. `false`: there is no such conversation. */
  open(previousSessionId: string | undefined): Promise<OpenedHome | undefined>
  /** The conversation has begun; from now on the home is its own. */
  begin(session: KeptSession): Promise<void>
  /** Puts the home of the conversation that was begun aside. Never rejects; what cannot be kept is lost. */
  keep(): Promise<void>
}

export interface OpenedHome {
  /** By which the agent knows the conversation to go on with. */
  readonly agentSessionId?: string
}

export interface KeptSession {
  readonly sessionId: string
  readonly agentSessionId: string
}

export function newSessionId(): string {
  return createId('acp')
}

const ownId = /^acp_[0-9a-z]+$/i
const mostBytes = 64 * 1024

export function openAgentHome(base: string): AgentHome {
  const path = join(base, 'home')
  const live = join(base, 'live.json')
  const folderOf = (sessionId: string) => join(base, 'sessions', sessionId)

  async function keep(): Promise<void> {
    const session = await read(live)
    if (session) await putAside(session).catch(() => undefined)
    await removeTree(live).catch(() => undefined)
  }

  async function putAside(session: KeptSession): Promise<void> {
    const folder = folderOf(session.sessionId)
    await removeTree(folder).catch(ifMissing)
    await ensureDir(folder)
    await rename(path, join(folder, 'home'))
    await writeFileAtomic(join(folder, 'session.json'), `${JSON.stringify(session)}\n`)
  }

  return {
    path,
    keep,
    async open(previousSessionId) {
      // What a killed run left is a conversation like any other.
      await keep()
      await removeTree(path).catch(ifMissing)
      await ensureDir(base)
      if (previousSessionId === undefined) {
        await mkdir(path, { mode: 0o700 })
        return {}
      }
      if (!ownId.test(previousSessionId)) return undefined
      const folder = folderOf(previousSessionId)
      const session = await read(join(folder, 'session.json'))
      if (!session) return undefined
      await copyHome(join(folder, 'home'), path)
      return { agentSessionId: session.agentSessionId }
    },
    async begin(session) {
      await writeFileAtomic(live, `${JSON.stringify(session)}\n`)
    },
  }
}

/** Sockets and pipes of a process that is gone are left behind. */
function copyHome(from: string, to: string): Promise<void> {
  return cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    filter: async source => {
      const stats = await lstat(source)
      return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink()
    },
  })
}

/** Writes the files of a row below a home. */
export async function writeFiles(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(home, name)
    await ensureDir(dirname(path))
    await writeFileAtomic(path, text)
  }
}

async function read(path: string): Promise<KeptSession | undefined> {
  const file = await readRegularFile(path, { maxBytes: mostBytes })
  if (!file.ok) return undefined
  try {
    const value: unknown = JSON.parse(file.bytes.toString('utf8'))
    const sessionId = textOf(fieldOf(value, 'sessionId'))
    const agentSessionId = textOf(fieldOf(value, 'agentSessionId'))
    if (sessionId === undefined || agentSessionId === undefined || !ownId.test(sessionId)) return undefined
    return { sessionId, agentSessionId }
  } catch {
    return undefined
  }
}

function ifMissing(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error
}
