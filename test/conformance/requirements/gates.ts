import type { RequirementTable } from '../requirement.ts'

/** Where a run waits for a person, and who may let it go on. */
export const gates = {
  'gates/commands':
    'gate.decide, gate.hold and gate.release exist for clients that list `weave`; to all others they are UNKNOWN_COMMAND.',
  'gates/file':
    'The key `gates` of weave.json is strict: one place each, ids of their own, known fields only.',
} as const satisfies RequirementTable
