import type { RequirementTable } from '../requirement.ts'

/** What programs get of a check, and what build machines do with it. */
export const ci = {
  'codes/listed': 'Every rule has a code, one sentence and an anchor in the handbook.',
  'codes/stable': 'A code never changes its meaning and is never used again.',
  'codes/problems': 'Every problem carries the code of its rule, and where what it is about begins and ends.',
  'codes/fixes':
    'A problem whose cure is mechanical carries it as edits: a field or a value with a near name, a file with one.',
  'codes/overlay':
    'A check takes unsaved texts in the place of files: the hank, its settings and everything it names.',
  'codes/labels': 'A message names five codons at the most, then how many more.',
} as const satisfies RequirementTable
