import * as z from 'zod'

const word = (name: string) => `\${${name}}`
const url = word('url')
const api = word('api')
const others = ['key', 'model', 'home', 'autoCompact', 'context', 'output'].map(word)
const words = `These are filled in: ${[url, api, ...others].join(' ')}.`

/** An agent of the operator that speaks the Agent Client Protocol. */
export const agentRow = z
  .strictObject({
    command: z
      .array(z.string().min(1))
      .min(1)
      .describe(`The program and its arguments: a name in the PATH, or an absolute path. ${words}`),
    env: z
      .record(z.string().min(1), z.string())
      .optional()
      .describe('Variables for the agent, above those of the codon. The same words are filled in.'),
    files: z
      .record(z.string().min(1), z.string())
      .optional()
      .describe(
        'Path below the home of the agent to text: written before it starts. The same words are filled in.',
      ),
    dialect: z
      .enum(['anthropic', 'openai', 'google', 'none'])
      .describe(
        `How the agent asks its provider, at the address ${url} or ${api}. "none": with a login of its own, so that what it spends is not known.`,
      ),
    model: z
      .enum(['config', 'given'])
      .optional()
      .describe(
        'How it is told its model: `config` in the session, `given` by this row alone (the default).',
      ),
    mode: z.string().min(1).optional().describe('The mode of a session in which it asks nobody.'),
    auth: z.string().min(1).optional().describe('The way to sign in that it is told to use.'),
    resume: z.boolean().optional().describe('Whether it can go on with a conversation; `true` by default.'),
  })
  .superRefine(({ dialect, command, env = {}, files = {} }, context) => {
    const texts = [...command, ...Object.values(env), ...Object.values(files)]
    const names = texts.some(text => text.includes(url) || text.includes(api))
    if (dialect === 'none' ? names : !names)
      context.addIssue({
        code: 'custom',
        path: ['dialect'],
        message: dialect === 'none' ? withoutMeter : unmetered,
      })
    for (const path of Object.keys(files))
      if (path.startsWith('/') || path.split(/[/\\]/).includes('..'))
        context.addIssue({
          code: 'custom',
          path: ['files', path],
          message: 'expected a path below the home of the agent',
        })
  })
  .describe('An agent that speaks the Agent Client Protocol, for models named `acp/<this name>/<model>`.')

const unmetered = `expected ${url} or ${api} in command, env or files, so that the agent asks where its usage is counted; or "none"`
const withoutMeter = `expected another dialect than "none", since ${url} or ${api} is named`
