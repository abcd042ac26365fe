import type { RequirementTable } from '../requirement.ts'

/** Agents as people have them: their tools, files, logins and models. */
export const agents = {
  'agents/loose-names':
    'A model name may differ from the catalogue in capitals and in the marks between letters and digits, and in nothing else.',
  'agents/thinking-suffix':
    'A level of thinking (off, minimal, low, medium, high, xhigh, max) may stand behind a model name, after a dash or a colon.',
} as const satisfies RequirementTable
