import type { RequirementTable } from '../requirement.ts'

/** Agents as people have them: their tools, files, logins and models. */
export const agents = {
  'agents/loose-names':
    'A model name may differ from the catalogue in capitals and in the marks between letters and digits, and in nothing else.',
  'agents/thinking-suffix':
    'A level of thinking (off, minimal, low, medium, high, xhigh, max) may stand behind a model name, after a dash or a colon.',
  'agents/claude-whole-preset': 'The Claude agent has all of its tools, but for those that outlive a turn.',
  'agents/claude-workspace-words':
    'The Claude agent reads CLAUDE.md and .claude of its workspace as they are when its codon starts.',
  'agents/claude-mcp': 'The Claude agent has the servers that .mcp.json of its workspace names.',
  'agents/subagents-counted':
    'What agents inside an agent use up is in the journal and in the cost of its codon, to the token.',
  'agents/hooks-as-agent':
    'Hooks of the workspace run as processes of the agent: with its marker, and ended with its codon.',
  'agents/not-above': 'Agents read no instructions of directories above their workspace.',
} as const satisfies RequirementTable
