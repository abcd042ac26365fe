import { join } from 'node:path'
import type { SessionFolder } from '../session-folder.ts'
import { agentDir } from './worker-environment.ts'

/** All in one folder, whatever directory they are about; the id is the end of the name. */
export function piSessions(home: string): readonly SessionFolder[] {
  const folder = join(agentDir(home), 'sessions')
  return [{ folder, target: folder, sessionOf: name => /_([^_]+)\.jsonl$/.exec(name)?.[1] }]
}
