/** The files that have an editor schema, by the stem of its published file. */
export type SchemaKind = 'hank' | 'weave' | 'sentinel' | 'rehearsal'

/** Where editors find the schema of a kind of file, as published with that version of the package. */
export function schemaAddress(kind: SchemaKind, version: string): string {
  return `https://unpkg.com/weave-runtime@${version}/schemas/${kind}.schema.json`
}
