/**
 * The agent's tree, and its only owner: which files are selected, what tells that one has not changed (`StatKey`), the
 * scan, with git's help where it can, and what a scan means to clients: the events and the file tree. Checkpoints store
 * what is scanned here. It writes nothing into the workspace.
 */
export { cleanEnvironment, createGit, type Git, type GitPlace, splitAtNul } from './git.ts'
export {
  binaryId,
  blobIdOf,
  type GitMode,
  gitModeOf,
  hexId,
  isLink,
  type ObjectType,
  objectId,
  parseGitMode,
  permissionsLike,
  permissionsOf,
} from './git-objects.ts'
export { createIndexFile } from './index-file.ts'
export {
  countFiles,
  createDirectory,
  fileAt,
  type KnownDirectory,
  type KnownFile,
  setFile,
} from './known-tree.ts'
export { type Contents, createStoredTree, type StoredScan, type StoredTree } from './scan-cache.ts'
export type { ScanObserver } from './scan-observer.ts'
export { type SelectedFile, selectFiles } from './select-files.ts'
export {
  createSelection,
  dataSourceName,
  emptySelection,
  gitName,
  type Selection,
} from './selection.ts'
export { createFileSystem, type FileSystem, type StatKey, statKeyOf } from './stat-key.ts'
export type { Gap } from './tree-walk.ts'
export { type WorkspaceWatch, watchWorkspace } from './watch.ts'
