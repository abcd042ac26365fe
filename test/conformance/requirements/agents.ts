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
  'agents/above-told':
    'Where settings of the Claude agent lie above the workspaces, a check warns that it reads none.',
  'agents/cloud-runs':
    'A run through Amazon Bedrock, Google Vertex AI or Microsoft Foundry asks only there, is counted, and its login is masked.',
  'agents/own-provider':
    'A provider and its models may be described in models.json: address, dialect, key variable, windows and prices.',
  'agents/keyless': 'A provider that wants no key is asked without one, by preflight and by its agent.',
  'agents/unknown-window': 'A model whose context window nobody says is used, and that is a warning.',
  'agents/unknown-price': 'A dollar limit on a model whose price nobody says is a warning.',
  'agents/local-servers':
    'Any model of ollama, llama.cpp, lmstudio and vllm can be named without a file; a variable moves their address.',
  'agents/pi-models-file': "Providers and models of the person's own Pi models file are known.",
  'agents/file-key-masked': 'A key that a models file holds is masked as one of the environment is.',
  'agents/plain-http':
    'An address of a models file with plain http to another machine is an error unless plainHttpHosts names the host, and then a warning.',
  'agents/rehearsal-own-providers':
    'A rehearsal asks no provider of a file or of this machine, and lends no key or address of theirs.',
  'agents/pi-whole-set': 'The Pi agent has all of its tools that can work without fetching programs.',
  'agents/pi-workspace-words':
    'The Pi agent reads AGENTS.md or CLAUDE.md and the skills of its workspace, and neither settings nor extensions.',
  'agents/tools-chosen': 'An operator may allow or deny tools of each agent in weave.json.',
  'agents/tools-shown':
    'Weave validate --verbose shows which tools an operator allows or denies, and who said so.',
  'agents/logins':
    'A token or a cloud that is switched on is a login: preflight takes it, the agent gets it, and it is masked.',
  'agents/pi-login-file':
    "A login in the file of the person's own Pi agent is used where no variable holds a key; weave neither copies nor writes it, and masks it.",
  'agents/doctor-logins': 'Weave doctor says which login each provider would use.',
  'agents/ready-not-waiting':
    'While a run waits for a person, no agent that was made ready for the next codon waits with it.',
  'agents/ready-before-needed':
    'The agent of the next codon is started while the one before it works, used when it is still right, and ended otherwise.',
} as const satisfies RequirementTable
