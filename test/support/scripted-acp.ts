import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('scripted-acp-agent.mjs', import.meta.url))
const word = (name: string) => `\${${name}}`

/** The row of an agent that speaks ACP and does what it is told, or lies (see the program). */
export const scriptedRow = {
  command: [process.execPath, program],
  dialect: 'anthropic',
  env: {
    ANTHROPIC_BASE_URL: word('url'),
    ANTHROPIC_API_KEY: word('key'),
    AGENT_HOME: word('home'),
    AGENT_MODEL: word('model'),
    OF_THE_ROW_TOKEN: 'a-token-of-the-row',
  },
} as const

/** A `weave.json` with it. */
export const scriptedAgents = { agents: { scripted: scriptedRow } }
