import type { RequirementTable } from '../requirement.ts'

/** What is said of a run while it goes on and afterwards: its end, its conversation, its report. */
export const readingARun = {
  'repair/done-at-last-checkpoint':
    'A shutdown that comes when the last codon has done its work leaves the run completed.',
  'repair/nothing-left-completed':
    'A start that finds nothing left to do in an execution that was cut short leaves it completed.',
  'repair/rehearsal-again':
    'Codons of a rehearsal that are done again, after a rollback that goes on by itself or by a redo, begin their script again.',
} as const satisfies RequirementTable
