import { createHash } from 'node:crypto'

/** The branch of a run: `run-<runId>` for every id that may stand in a branch name, and another safe name for others. */
export function branchOf(runId: string): string {
  return `run-${isSafe(runId) ? runId : escaped(runId)}`
}

export function branchRef(branch: string): string {
  return `refs/heads/${branch}`
}

/** `refs/weave/safety/<timestamp>`; the timestamp has no characters that a ref may not have. */
export function safetyRef(time: Date): string {
  return `${safetyPrefix}${time.toISOString().replaceAll(':', '')}`
}

export const safetyPrefix = 'refs/weave/safety/'

/** Of the version that a codon of a run began with. */
export function beforeRef(runId: string, codonId: string): string {
  return `refs/weave/before/${branchOf(runId)}/${isSafe(codonId) ? codonId : escaped(codonId)}`
}

/** Keeps what the last look at the disk stored, until a checkpoint does. */
export const lookRef = 'refs/weave/look'

const longestId = 150

function isSafe(id: string): boolean {
  return id.length <= longestId && /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(id) && !id.endsWith('.lock')
}

/** `%` is in no safe id, so two ids never share a branch. */
function escaped(id: string): string {
  const digest = createHash('sha256').update(id, 'utf16le').digest('hex').slice(0, 16)
  return `${id.replace(/[^A-Za-z0-9_-]/g, '-').slice(0, 50)}%${digest}`
}
