/**
 * What happens before a run: from a command line to a plan and a verdict, `weave doctor`, rehearsals, the schemas for
 * editors. Starts no execution, and writes nothing into one but how far a rehearsal is in its script.
 */
export { type DoctorOptions, examine } from './doctor.ts'
export { editorSchema, isSchemaKind, schemaKinds } from './editor-schema.ts'
export { loginFiles, missingHarnesses, type Prepared, type PrepareOptions, prepare } from './prepare.ts'
export { checkScript, type OpenRehearsal, openRehearsal, openReplayRehearsal } from './rehearsal.ts'
export { settled, settledPaths } from './settled.ts'
