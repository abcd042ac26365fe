import { readFileSync } from 'node:fs'
import { harnessWordOf } from '../../packages/runtime/src/harness/index.ts'
import {
  type BuiltInAgent,
  type BuiltInAgentName,
  builtInAgents,
} from '../../packages/runtime/src/models/index.ts'
import type { RequirementId } from '../../test/conformance/requirements.ts'
import { code, table } from './field-table.ts'
import type { Generated } from './generated.ts'

const agents = Object.entries(builtInAgents) as readonly (readonly [BuiltInAgentName, BuiltInAgent])[]

/** What one line says of an agent, from its row, and the rules of the contract under which a test shows it of the real one. */
interface Line {
  readonly what: string
  readonly says: (agent: BuiltInAgent) => string
  readonly shown: readonly RequirementId[]
}

const dialects = { anthropic: 'Anthropic', openai: 'OpenAI', google: 'Google', none: 'its own login' }
const hosts = ({ asksToo }: BuiltInAgent) => asksToo.map(code).join(', ')

const lines: readonly Line[] = [
  { what: 'tried with', says: ({ tried }) => tried, shown: ['acp/real-agents'] },
  {
    what: 'tools',
    says: ({ mode }) => (mode === undefined ? 'all of its own' : `all of its own, in its mode ${code(mode)}`),
    shown: ['acp/real-agents', 'acp/permission'],
  },
  {
    what: 'sessions',
    says: ({ resume }) => (resume === false ? 'none: only `fresh`' : 'go on in a copy'),
    shown: ['acp/fork', 'acp/no-resume'],
  },
  {
    what: 'usage',
    says: ({ dialect }) => `by the meter, as ${dialects[dialect]} counts`,
    shown: ['acp/ledger', 'acp/meter-usage'],
  },
  {
    what: 'waits',
    says: () => 'up to a minute; longer ones park the codon',
    shown: ['acp/wait', 'acp/park'],
  },
  { what: 'overflow', says: () => 'the provider’s error, seen by the meter', shown: ['acp/overflow'] },
  { what: 'cancel', says: () => 'by the protocol; then its processes', shown: ['acp/deaf'] },
  {
    what: 'files read',
    says: ({ reads }) => reads.join(', '),
    shown: ['acp/real-agents'],
  },
  {
    what: 'network',
    says: agent => (hosts(agent) === '' ? 'its provider' : `its provider; ${hosts(agent)}`),
    shown: ['acp/real-agents', 'acp/rehearsal'],
  },
]

/** Both tables of `docs/acp.md`; the words around them are written by hand. */
export const acpPage: Generated = {
  path: 'docs/acp.md',
  content: () =>
    readFileSync('docs/acp.md', 'utf8').replace(
      /(<!-- generated: agents -->\n).*?(<!-- end -->)/s,
      (_whole, begin: string, end: string) => `${begin}\n${installs()}\n\n${traits()}\n\n${end}`,
    ),
}

function installs(): string {
  return table(
    ['name', 'agent', 'install', 'asks like'],
    agents.map(([name, { title, dialect }]) => [
      code(name),
      title,
      code(`weave harness add ${harnessWordOf({ harness: 'acp', agent: name }) ?? name}`),
      dialects[dialect],
    ]),
  )
}

/** Turned by a quarter: an agent is a column. */
function traits(): string {
  return table(
    ['', ...agents.map(([name]) => code(name)), 'shown by'],
    lines.map(({ what, says, shown }) => [
      what,
      ...agents.map(([, agent]) => says(agent)),
      shown.map(code).join(', '),
    ]),
  )
}
