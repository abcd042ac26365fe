import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'

/** Processes that carry the marks of weave in their environment. None are known where the system does not tell. */

/** The ids of all processes that carry the mark of an execution. */
export function leftovers(execution: string): readonly string[] {
  if (!existsSync('/proc/self/environ')) return []
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && name !== String(process.pid))
    .filter(pid => environOf(pid).includes(`\0WEAVE_EXECUTION_ID=${execution}`))
}

/** The processes of an execution by the mark of their server. */
export function serversAtWork(execution: string): ReadonlyMap<string, readonly string[]> {
  const servers = new Map<string, string[]>()
  for (const pid of leftovers(execution)) {
    const id = /\0WEAVE_SERVER_ID=([^\0]*)/.exec(environOf(pid))?.[1]
    if (id !== undefined) servers.set(id, [...(servers.get(id) ?? []), pid])
  }
  return servers
}

/** The environment of a process of ours, which may be gone by now. */
function environOf(pid: string): string {
  try {
    const isOurs = statSync(`/proc/${pid}`).uid === process.getuid?.()
    return isOurs ? `\0${readFileSync(`/proc/${pid}/environ`, 'utf8')}` : ''
  } catch {
    return ''
  }
}
