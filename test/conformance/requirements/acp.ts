import type { RequirementTable } from '../requirement.ts'

/** Agents that speak the Agent Client Protocol. */
export const acp = {
  'acp/name': 'A model acp/<agent>/<model> runs on that agent; its identity is acp:<agent>/<provider>/<id>.',
  'acp/unknown-agent': 'An agent that nobody knows is an error that names the nearest ones.',
  'acp/own-model': 'A model that only the agent knows is taken, without a price.',
  'acp/other-dialect': 'A model at a provider that the agent cannot ask is an error.',
  'acp/rows':
    'An agent of weave.json runs with its command, variables and files, with their words filled in.',
  'acp/rows-metered':
    'A row with a dialect must say where the address of the meter goes, and one without must not.',
  'acp/validate-starts-nothing': 'A check of a hank never starts the command of an agent.',
  'acp/missing': 'An agent that is not installed is said to be so, with the line that installs it.',
  'acp/no-resume': 'Continuing with an agent that cannot is an error when the hank is loaded.',
  'acp/own-login-budget': 'A dollar limit over an agent with a login of its own is an error.',
  'acp/own-login-rehearsal': 'An agent with a login of its own is not rehearsed.',
  'acp/secrets': 'Neither the key of an agent nor a secret of its row is in the journal.',
  'acp/home': 'What an agent keeps lies below .weave/agents/acp-<agent> and HOME stays that of the person.',
  'acp/fork': 'A conversation that goes on leaves the one before as it was, also when it fails.',
  'acp/load': 'What an agent repeats of a loaded conversation is not told again.',
  'acp/version': 'An agent that speaks another version of the protocol fails the codon before a token.',
  'acp/permission': 'A request for a permission is answered with: allowed once.',
  'acp/meter-usage':
    'The meter reads the usage of every dialect, streamed and whole, to the token, also from packed answers.',
  'acp/meter-odd': 'Usage that cannot be, or was cut off, is not known.',
  'acp/ledger': 'What a codon used is what the model server counted.',
  'acp/overshoot':
    'On every harness a codon goes over its dollar limit by no more than the answer under way.',
  'acp/wait': 'An answer that asks to wait for at most a minute is a wait, not silence.',
  'acp/park': 'An answer that asks to wait for longer cancels the turn, and the codon is parked.',
  'acp/overflow': 'Without autoCompact the first overflow ends the codon, with it the third in a row.',
  'acp/endless-failures': 'An agent that goes on asking in vain is stopped at the fifth failure in a row.',
  'acp/end-turn-lie': 'A turn that ends well after a failed answer, or with nothing asked, has failed.',
  'acp/stop-reasons': 'The ends max_tokens, max_turn_requests and refusal fail the codon for good, by name.',
  'acp/open-tools': 'A tool whose end is never told is closed as an error when the turn ends.',
  'acp/exit-codes': 'A tool that completed with another exit code than 0 has failed.',
  'acp/long-lines': 'A line of 10 MB is read; one of more than 16 MiB ends the codon and not the server.',
  'acp/death': 'An agent that dies in the middle of a turn fails the codon, which may be tried again.',
  'acp/deaf': 'An agent that heeds neither cancel nor SIGTERM is gone 12 s after it is to stop.',
  'acp/rehearsal':
    'A rehearsal leads an agent to the scripted model with the key of its codon, and finds a tool for each step.',
  'acp/mixed': 'Codons on all three harnesses work in one hank, also after a rollback in the middle.',
  'acp/real-agents':
    'Gemini CLI, opencode, Codex and Claude Code write a file, wait, park, overflow, are cancelled, and leave nothing.',
} as const satisfies RequirementTable
