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
export { type LoadedHank, loadHank } from './checks/load.ts'
export { codonsOf, effectiveModel, isLoop, type PlacedCodon } from './codons.ts'
export { scanCopiedTree, treeMessage } from './copied-tree.ts'
export { hankHash } from './hash.ts'
export { maxPromptBytes } from './named-files.ts'
export { pathOf, withPlaces } from './places.ts'
export { templateVariables } from './prompt-content.ts'
export { excerptAt } from './read.ts'
export { type Reference, readReference, resolveReference } from './references.ts'
export {
  type Codon,
  type CodonBudget,
  type HankFile,
  type HankItem,
  hankFile,
  type Loop,
  type OutputFiles,
  type RigOperation,
  type SharedBudget,
} from './schema.ts'
export { addSchemaLine, type SchemaKind, schemaAddress } from './schema-line.ts'
export { type AttachedSentinel, readSentinelFile, type SentinelFile } from './sentinel-attachments.ts'
export { loadPatterns, type PatternCompiler, patternFaults } from './sentinel-patterns.ts'
export {
  type SentinelCondition,
  type SentinelConfig,
  sentinelConditions,
  sentinelConfig,
  sentinelTrigger,
} from './sentinel-schema.ts'
