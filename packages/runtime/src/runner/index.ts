/**
 * The machine: what runs next, and the running of it.
 *
 * Owns the order of things and is the only writer of state. Does not know sockets, terminals or where files lie: what a
 * codon needs from the rooms around it is handed in as functions.
 */
export { codonPrompt } from './codon-prompt.ts'
export type { EffectResult, Ports, RigResult, Surroundings } from './ports.ts'
export { createRecorder, type Recorder } from './record.ts'
export { type Runner, type RunnerEnd, type RunnerOptions, startRunner } from './run.ts'
export { nothingLeft } from './thread.ts'
