import type { RequirementId } from '../conformance/requirements.ts'

/** One rule of the contract, broken on purpose in the source. `npm run proof:mutants` sees that the named tests notice. */
export interface Mutant {
  /** The rule that it breaks. */
  readonly rule: RequirementId
  /** The source file, from the root of the repository. */
  readonly file: string
  /** Text that stands in the file exactly once. */
  readonly find: string
  readonly replace: string
  /** Test files of `npm test`, from the root; at least one of them must fail. */
  readonly killedBy: readonly [string, ...string[]]
}
