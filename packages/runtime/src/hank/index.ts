/**
 * Reading a hank: from a path to a checked workflow, or to everything that is wrong with it. Owns the shape of
 * `hank.json` and of sentinel configurations, the rules between fields, the one resolver for every file that a hank
 * names, and the `$schema` line. Reads, and writes nothing but that line. Does not know which models exist, whose
 * credentials are there, or how anything is run.
 */
export {
  allotment,
  createPool,
  mayStillSpend,
  type Pool,
  type PoolUse,
  tightest,
} from './budget-arithmetic.ts'
export { effectiveModel } from './checks/effective-model.ts'
export { codonLabel, codonsOf, isLoop, type PlacedCodon } from './codons.ts'
export { scanCopiedTree, type TreeFinding, type TreeLimits, treeMessage } from './copied-tree.ts'
export { hankHash } from './hank-hash.ts'
export { type LoadContext, type LoadedHank, loadHank } from './load.ts'
export { maxPromptBytes } from './named-files.ts'
export { withPlaces } from './places.ts'
export type { PromptFacts } from './prompt-content.ts'
export type { HankSource } from './read.ts'
export {
  type Reference,
  type ReferencedFile,
  type ResolvedReference,
  readReference,
  resolveReference,
} from './references.ts'
export {
  type Codon,
  type CodonBudget,
  type HankFile,
  type HankItem,
  hankFile,
  type Loop,
  type OutputFiles,
  type RigOperation,
  type SentinelAttachment,
  type SharedBudget,
} from './schema.ts'
export { type SchemaKind, schemaAddress } from './schema-addresses.ts'
export { addSchemaLine } from './schema-line.ts'
export {
  type AttachedSentinel,
  type CheckedSentinelFile,
  readSentinelFile,
  type SentinelFile,
} from './sentinel-attachments.ts'
export { type CompiledPattern, loadPatterns, type PatternCompiler } from './sentinel-patterns.ts'
export { type SentinelCondition, type SentinelConfig, sentinelConfig } from './sentinel-schema.ts'
export type { SchemaLine } from './write-schema-line.ts'
