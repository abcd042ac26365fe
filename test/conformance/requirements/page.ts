import type { RequirementTable } from '../requirement.ts'

/** The dashboard in a browser. */
export const page = {
  'page/event-window':
    'The page never holds a journal: it keeps at most 40 pages of 500 events, the ones looked at last, and row i is event i + 1 or the i-th that was found.',
} as const satisfies RequirementTable
