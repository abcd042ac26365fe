import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { SessionFolder } from '../session-folder.ts'

/** The SDK keeps conversations in a folder for each working directory: a file with the id, and a folder with what is large. */
export async function claudeSessions(home: string, cwd: string): Promise<readonly SessionFolder[]> {
  const projects = join(home, 'claude', 'projects')
  const folders = await readdir(projects).catch(() => [])
  return folders.map(name => ({
    folder: join(projects, name),
    target: join(projects, projectFolder(cwd)),
    sessionOf: (entry: string) => /^([0-9a-f-]{36})(?:\.jsonl)?$/i.exec(entry)?.[1],
  }))
}

const longestName = 200

/** The SDK's own rule; a session in any other folder is not found. */
export function projectFolder(cwd: string): string {
  const name = cwd.replaceAll(/[^a-zA-Z0-9]/g, '-')
  if (name.length <= longestName) return name
  let hash = 0
  for (let at = 0; at < cwd.length; at++) hash = ((hash << 5) - hash + cwd.charCodeAt(at)) | 0
  return `${name.slice(0, longestName)}-${Math.abs(hash).toString(36)}`
}
