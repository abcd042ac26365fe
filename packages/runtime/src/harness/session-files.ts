import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { walk } from '../files/index.ts'
import { claudeSessions } from './claude/session-folder.ts'
import { piSessions } from './pi/session-folder.ts'

/** A file of a conversation. Both relative to the folder that agents are given as their home. */
export interface SessionFile {
  readonly from: string
  /** Where an agent that works in the new directory looks for it. */
  readonly to: string
  /** Lines of JSON, in which a workspace may be named. */
  readonly isText: boolean
}

export interface SessionMove {
  /** Where agents kept what is theirs. */
  readonly home: string
  /** Where they will work, as the system names it. */
  readonly cwd: string
  readonly sessions: ReadonlySet<string>
}

/** The files of these sessions, of all agents, and where they belong when work goes on in another directory. */
export async function sessionFiles({ home, cwd, sessions }: SessionMove): Promise<readonly SessionFile[]> {
  const files: SessionFile[] = [{ from: totals, to: totals, isText: false }]
  for (const place of [...(await claudeSessions(home, cwd)), ...piSessions(home)]) {
    for (const name of await readdir(place.folder).catch(() => [])) {
      const session = place.sessionOf(name)
      if (session === undefined || !sessions.has(session)) continue
      for (const path of await filesAt(place.folder, name))
        files.push({
          from: relative(home, join(place.folder, path)),
          to: relative(home, join(place.target, path)),
          isText: path.endsWith('.jsonl') || path.endsWith('.json'),
        })
    }
  }
  return files
}

/** What sessions had cost when they were left: one that goes on is billed from there. */
const totals = 'claude-totals.json'

/** The file of this name, or all below it. */
async function filesAt(folder: string, name: string): Promise<readonly string[]> {
  if (name.endsWith('.jsonl')) return [name]
  const found: string[] = []
  for await (const item of walk(join(folder, name), { maxEntries: 100_000, maxDepth: 20 }))
    if (item.kind === 'entry' && item.stats.isFile()) found.push(`${name}/${item.path}`)
  return found
}
