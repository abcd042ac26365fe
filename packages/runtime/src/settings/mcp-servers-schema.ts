import * as z from 'zod'

/** The shape of `mcpServers` in `weave.json`. Takes long to set up: only `schema.ts` imports it. */

const words = `\`\${NAME}\` is filled in from the environment of weave.`

const any = {
  codons: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('The codons whose agents get it, in every iteration; without it all of them.'),
  tools: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('The only tools of it that agents may use; without it all.'),
}

const process = z
  .strictObject({
    command: z
      .array(z.string().min(1))
      .min(1)
      .describe(`The program and its arguments: a name in the PATH, or an absolute path. ${words}`),
    env: z
      .record(z.string().min(1), z.string())
      .optional()
      .describe(`Variables for it, above those of the codon. ${words}`),
    cwd: z
      .literal('project')
      .optional()
      .describe('Start it in the directory of this file; without it in the agent workspace.'),
    ...any,
  })
  .describe('A server that is started with each codon and ends with it.')

const address = z
  .strictObject({
    url: z.string().min(1).describe(`Where it listens: https://, or http:// on this machine. ${words}`),
    headers: z.record(z.string().min(1), z.string()).optional().describe(`Sent with every request. ${words}`),
    ...any,
  })
  .describe('A server that runs elsewhere.')

export const mcpServers = z
  .record(
    z
      .string()
      .regex(
        /^(?!.*__)[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/,
        'expected 1 to 40 letters, digits, _ and -, without __',
      ),
    z.union([process, address]),
  )
  .describe('MCP servers whose tools the agents get, by name: `mcp__<name>__<tool>`.')
