import { copyOutputs, type OutputOutcome, type OutputRequest } from '../../src/effects/index.ts'
import type { OutputFiles } from '../../src/hank/index.ts'
import type { PreparedWorkspace } from '../workspace/prepared-workspace.ts'

/** Keeps no record. */
export const silent = { intent: () => undefined, done: () => undefined }

/** Copies what the patterns select, or what `more` says. */
export function copyFrom(
  workspace: PreparedWorkspace,
  patterns: readonly string[],
  more: Partial<OutputRequest> = {},
): Promise<OutputOutcome> {
  const { agentRoot, output, surroundings } = workspace
  const request = { entries: [{ copy: patterns }], agentRoot, outputDirectory: output, record: silent }
  return copyOutputs({ ...request, ...surroundings, ...more })
}

/** For `beforeCopy`. */
export function command(
  run: string,
  workingDirectory?: 'project' | 'lastCopied',
): NonNullable<OutputFiles['beforeCopy']>[number] {
  return { type: 'command', command: { run, ...(workingDirectory && { workingDirectory }) } }
}
