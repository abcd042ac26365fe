/**
 * What a codon does to files besides the agent's own work: rig copies and commands before it, output copies and archives
 * after it, and how each of them is taken back. Why and when is decided by the runner.
 */
export { type ArchiveOutcome, performArchive, type RestoreOutcome, restoreArchived } from './archive.ts'
export {
  type ArchiveEntry,
  type ArchivePlan,
  type ArchivePlanned,
  type ArchiveRead,
  type ArchiveRequest,
  planArchive,
  readArchive,
  writeArchive,
} from './archive-plan.ts'
export type { OutputCopy, OutputFile } from './output-staging.ts'
export { type OutputsSettled, settleOutputs, undoOutputs } from './output-undo.ts'
export {
  type BeforeCopyOutput,
  copyOutputs,
  type OutputOutcome,
  type OutputRecord,
  type OutputRequest,
} from './outputs.ts'
export { type RigOperationResult, type RigOutcome, type RigOutput, type RigRequest, runRig } from './rig.ts'
export { type CopySource, copyIntoWorkspace, resolveCopyTarget } from './rig-copy.ts'
export {
  forgetRigRecord,
  moveOutOfWorkspace,
  openRigRecord,
  type RigEntry,
  readRigRecord,
  rigLeftovers,
} from './rig-record.ts'
export { shellFor } from './shell-command.ts'
