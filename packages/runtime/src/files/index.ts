/**
 * Files and directories that someone else may be rearranging: held directories, reading and copying of regular files only,
 * atomic and durable writes, removal, walking. Nothing here follows a link or waits for a pipe, and nothing knows what a
 * file is for.
 */
export {
  type AtomicWriteOptions,
  isTemporary,
  removeFileDurablySync,
  writeFileAtomic,
  writeFileAtomicSync,
} from './atomic-write.ts'
export {
  type ContainedPath,
  checkRelativeSpelling,
  resolveInside,
  type SpellingResult,
} from './contained-path.ts'
export { contentDigest } from './content-digest.ts'
export { createDirectoryChain, type DirectoryChain, type HeldDirectory } from './directory-chain.ts'
export { createDiskSync } from './disk-sync.ts'
export { ensureDir, ensureDirDurably, syncDirectory } from './ensure-dir.ts'
export {
  copyToNew,
  digestOf,
  fsyncLater,
  type OpenFile,
  openRegular,
  permissionsOf,
  wordsOf,
} from './file-copy.ts'
export { cutToBytes, fileNameOf } from './file-name.ts'
export { placeFile } from './file-place.ts'
export { openedUp, removeIfEmpty } from './opened-up.ts'
export { everyDirectory } from './parent-directories.ts'
export { openRegularFile } from './regular-file.ts'
export { type ReadFailure, type ReadResult, readRegularFile } from './safe-read.ts'
export { type RemoveTreeOptions, removeTree } from './safe-remove.ts'
export { type WalkItem, type WalkOptions, walk } from './walk.ts'
export { waysBelow } from './ways-below.ts'
