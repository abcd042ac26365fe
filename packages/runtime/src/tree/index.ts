/**
 * The agent's tree: which of its files are selected, what state they are in, and what changed since the last scan, as the
 * events and the file tree that clients see. It writes nothing into the workspace.
 */
export {
  type CheckpointSelection,
  type CheckpointSelectionResult,
  createCheckpointSelection,
  dataSourceName,
} from './checkpoint-selection.ts'
export { type SelectedFile, selectFiles } from './file-selection.ts'
export type { FileUpdate } from './file-update.ts'
export { type WatchOptions, type WorkspaceWatch, watchWorkspace } from './watch.ts'
export type { WatchNote } from './workspace-looks.ts'
