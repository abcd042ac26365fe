/** One rule of the contract. `part` is the section it comes from: `2.7` of the specification, `d9` of the decisions. */
export interface Requirement {
  readonly id: string
  readonly part: string
  readonly sentence: string
}

/** How the rules of one part are written down: id → sentence. The id is `<part>/<short-name>`. */
export type RequirementTable = Readonly<Record<`${string}/${string}`, string>>

export function requirementsOf(table: RequirementTable): readonly Requirement[] {
  return Object.entries(table).map(([id, sentence]) => ({ id, part: id.slice(0, id.indexOf('/')), sentence }))
}
