/**
 * Files and directories that someone else may be rearranging: directory handles, opening, reading and copying of regular
 * files, names that are no UTF-8, atomic and durable writes, removal, walking. Nothing here follows a link or waits for a
 * pipe, and nothing knows what a file is for.
 */
export { wordsOf } from '../kit/index.ts'
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
  waysBelow,
} from './contained-path.ts'
export { contentDigest, copyToNew, digestOf, permissionsOf, placeFile } from './copy.ts'
export {
  createDirectoryChain,
  type DirectoryChain,
  type HeldDirectory,
  isSafeName,
  openedUp,
  removeIfEmpty,
} from './directory-handles.ts'
export { beginDiskSync, createDiskSync } from './disk-sync.ts'
export {
  discard,
  ensureDir,
  ensureDirDurably,
  fsyncLater,
  prepareFile,
  syncDirectory,
  writeAllSync,
} from './durable.ts'
export { cloneFile, linkOrCopy } from './link-or-copy.ts'
export {
  ancestorsOf,
  binaryOfName,
  bytesOfName,
  cutToBytes,
  entryOf,
  everyDirectory,
  fileNameOf,
  isTextName,
  nameOfBytes,
  namesOf,
  replacementCharacter,
  splitPath,
} from './names.ts'
export {
  createFlags,
  type OpenFile,
  openRegular,
  openRegularFile,
  overwriteFlags,
  type ReadResult,
  readRegularFile,
} from './open-regular.ts'
export { type Overlay, readOverlaid } from './overlay.ts'
export {
  createFileReader,
  createTreeReader,
  type FileReader,
  type FileReading,
  type FileState,
  isSameState,
  type LargeFile,
  type TreeReader,
} from './read-file.ts'
export { removeTree } from './remove.ts'
export { type WalkItem, type WalkOptions, walk, walkPaths } from './walk.ts'
