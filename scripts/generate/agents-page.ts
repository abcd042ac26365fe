import { readFileSync } from 'node:fs'
import type { RequirementId } from '../../test/conformance/requirements.ts'
import { code, table } from './field-table.ts'
import type { Generated } from './generated.ts'

/** One thing that an agent does, and the rules of the contract under which a test shows it. */
interface Trait {
  readonly says: string
  readonly shown: readonly RequirementId[]
}

const columns = [
  'tools',
  'sessions',
  'usage',
  'waits',
  'overflow',
  'cancel',
  'files read',
  'network',
] as const
type Column = (typeof columns)[number]

/** What agents do, one row each. An agent of another kind is one more row. */
const agents: Readonly<Record<string, Readonly<Record<Column, Trait>>>> = {
  'Claude Agent SDK': {
    tools: {
      says: 'its whole preset, web, subagents, skills and MCP servers included, but for what outlives a turn',
      shown: ['agents/claude-whole-preset', 'agents/claude-mcp'],
    },
    sessions: {
      says: 'forked when a codon goes on from another, so that a rollback finds them as they were',
      shown: ['d8/continue-nearest-session', 'd8/rollback-session'],
    },
    usage: {
      says: 'while it is written; of subagents at once by estimate, to the token at the end of each turn',
      shown: ['d5/token-usage-once', 'agents/subagents-counted'],
    },
    waits: { says: 'as long as the provider asks', shown: ['d14/retry-hint-every-harness'] },
    overflow: {
      says: 'the provider’s error, or compaction if the codon allows it',
      shown: ['d8/context-overflow-error'],
    },
    cancel: { says: 'by an interrupt; then its processes', shown: ['d8/end-sweep'] },
    'files read': {
      says: '`CLAUDE.md`, or `AGENTS.md` without one; `.claude/`; `.mcp.json`; nothing above the workspace',
      shown: ['agents/claude-workspace-words', 'agents/not-above'],
    },
    network: {
      says: 'its provider; what web tools and servers ask',
      shown: ['agents/rehearsal-own-providers'],
    },
  },
  'Pi SDK': {
    tools: {
      says: '`read`, `bash`, `edit`, `write`, `ls`; `grep` and `find` where `rg` and `fd` are installed',
      shown: ['agents/pi-whole-set'],
    },
    sessions: {
      says: 'copied when a codon goes on from another',
      shown: ['d8/continue-nearest-session', 'd8/rollback-session'],
    },
    usage: { says: 'with each answer', shown: ['d5/token-usage-once', 'agents/own-provider'] },
    waits: { says: 'as long as the provider asks', shown: ['d14/retry-hint-every-harness'] },
    overflow: {
      says: 'the provider’s error, or compaction if the codon allows it',
      shown: ['d8/context-overflow-error'],
    },
    cancel: { says: 'by a message; then its processes', shown: ['d8/end-sweep'] },
    'files read': {
      says: '`AGENTS.md`, or `CLAUDE.md` without one; skills in `.pi/`, `.agents/`, `.claude/`; nothing above the workspace',
      shown: ['agents/pi-workspace-words', 'agents/not-above'],
    },
    network: { says: 'its provider', shown: ['agents/rehearsal-own-providers'] },
  },
}

/** The table in `docs/agents.md`; the words around it are written by hand. */
export const agentsPage: Generated = {
  path: 'docs/agents.md',
  content: () =>
    readFileSync('docs/agents.md', 'utf8').replace(
      /(<!-- generated: agents -->\n).*?(<!-- end -->)/s,
      (_whole, begin: string, end: string) => `${begin}\n${rows()}\n\n${end}`,
    ),
}

/** Turned by a quarter: an agent is a column, since what it does takes more words than its name. */
function rows(): string {
  const names = Object.keys(agents)
  return table(
    ['', ...names, 'shown by'],
    columns.map(column => {
      const traits = names.flatMap(name => agents[name]?.[column] ?? [])
      const ids = [...new Set(traits.flatMap(({ shown }) => shown))]
      return [column, ...traits.map(({ says }) => says), ids.map(code).join(', ')]
    }),
  )
}
