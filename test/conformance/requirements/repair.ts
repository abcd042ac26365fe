import type { RequirementTable } from '../requirement.ts'

/** Repairing one codon of an execution and going on, and what a person at the terminal is told on the way. */
export const repair = {
  'repair/adopt-exactly-when':
    'An edited hank is adopted exactly when what is done is a beginning of its plan, loops included, no conversation gets another model, and no rig that stays done is another.',
  'repair/adopt-keeps-done':
    'Adopting keeps sessions, files and money of what is done; the rest goes on as in a run of the edited hank.',
  'repair/adopt-lasts': 'Every later start runs the plan that was adopted last.',
  'repair/adopt-refusal':
    'A refused adoption names the first clash and the command that goes back before it, and changes nothing.',
  'repair/adopt-budgets': 'Budgets of an adopted plan hold over what was spent before.',
  'repair/resume-prints-its-plan':
    'A start in an execution prints the plan that will run and its worst case, and names what the hank says otherwise, also with -y.',
  'repair/adopt-shows-first':
    '--adopt shows every changed field, what is kept and where it goes on, and asks; --dry-run changes nothing.',
  'repair/activity':
    'A rig, a checkpoint or a rollback that lasts is told about once a second, in plain lines and to clients that list `weave`, and is not journaled.',
  'repair/plan-before-asking':
    'The plan is shown before a provider is asked, and what is waited for is said every two seconds.',
  'repair/nearest-file':
    'A message about a missing prompt, rig source or sentinel names the file of the hank that may be meant.',
  'repair/rollback-outputs':
    'Before and after a rollback it is said which copied output files of undone codons stay, under which name the next copy lies, and how to replace them.',
  'repair/plan-history': 'weave diff --plan lists the plans of an execution and what each changed.',
} as const satisfies RequirementTable
