/** The addresses of what can be read: `weave://…`. */

export const executionsAddress = 'weave://executions'

export function addressOfExecution(name: string): string {
  return `${executionsAddress}/${encodeURIComponent(name)}`
}

interface FileAddress {
  readonly name: string
  readonly sha: string
  /** Relative to the workspace. */
  readonly path: string
}

export function addressOfFile({ name, sha, path }: FileAddress): string {
  return `${addressOfExecution(name)}/files/${sha}?path=${encodeURIComponent(path)}`
}
