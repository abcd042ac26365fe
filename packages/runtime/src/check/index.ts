/** What happens before a run: from a command line to a plan and a verdict, `weave doctor`, rehearsals, the schemas for editors. */
export { type DoctorOptions, examine } from './doctor.ts'
export { editorSchema, isSchemaKind, schemaKinds } from './editor-schema.ts'
export { harnessesToCheck } from './harness-checks.ts'
export { modelNameOf, type Prepared, type PrepareOptions, prepare, settled, settledPaths } from './prepare.ts'
export { type OpenRehearsal, openRehearsal, openReplayRehearsal } from './rehearsal.ts'
