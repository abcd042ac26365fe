import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'

/** The ids of all processes that carry the mark of an execution. Knows of none where the system does not tell. */
export function leftovers(execution: string): readonly string[] {
  if (!existsSync('/proc/self/environ')) return []
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && name !== String(process.pid))
    .filter(pid => environOf(pid).includes(`WEAVE_EXECUTION_ID=${execution}`))
}

function environOf(pid: string): string {
  try {
    return statSync(`/proc/${pid}`).uid === process.getuid?.()
      ? readFileSync(`/proc/${pid}/environ`, 'utf8')
      : ''
  } catch {
    return ''
  }
}
