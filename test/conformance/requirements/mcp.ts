import type { RequirementTable } from '../requirement.ts'

/** weave as an MCP server. */
export const mcp = {
  'mcp/every-tool': 'Every tool answers clients of both eras of the protocol, and of the older SDK.',
  'mcp/listed': 'Only tools of groups that are allowed are listed, in the same bytes at every start.',
  'mcp/groups': 'read, check and rehearse are there by default; run needs a ceiling in dollars.',
  'mcp/execution-names':
    'An execution is named by its name, the beginning of just one, or its id; never by a path.',
  'mcp/inside': 'Hanks and data are inside of the directories that the operator named, links followed.',
  'mcp/fits': 'No answer has more than 40,000 characters; what is left out is counted and can be asked for.',
  'mcp/untrusted': 'Texts of agents stand under untrusted, and no text has a control character.',
  'mcp/rehearses': 'rehearse_hank runs a hank to its end in an execution of its own and tells of each codon.',
  'mcp/no-model': 'Without the group run no model is asked, whatever is called.',
  'mcp/ceiling': 'A run has the lower of the two ceilings, and goes on when the server is gone.',
  'mcp/confirmed':
    'A rollback is done after just one yes of a person, or with one fresh token of a preview; otherwise nothing is.',
  'mcp/fuzz': 'Arguments of any shape are answered: no fault, no path outside, no process.',
  'mcp/leaves': 'When the client has gone, the process is gone within a second.',
  'mcp/updates': 'Who subscribes to an execution is told when it changes, at most once a second.',
  'mcp/resources': 'Executions, journals, checkpoints, reports and schemas can be read as resources.',
  'mcp/prompts': 'Three prompts begin a repair, a new hank and a look at costs.',
  'mcp/steers':
    'A run is told to go on, to repeat, to skip or to stop only after a yes or with a token for just that.',
  'mcp/resumes': 'resume_run goes on with an execution where it stopped.',
  'mcp/gates':
    'A gate is decided by what a person fills in when asked, never by a token or an argument, and steering does not pass one.',
  'mcp/claude-code':
    'The real Claude Code can call every tool of every group, and what asks a person asks the one in front of it.',
  'mcp/silent': 'It speaks to nobody; a rehearsal that it starts speaks only to itself.',
  'mcp/http': 'With --http the same tools are at a port of this machine, for clients of every era.',
  'mcp/http-safe':
    'Over HTTP only who shows the token and is of the same user is answered: no foreign page, no foreign host, no large body, not more than 32 at once.',
  'mcp/quick': 'It is ready with little processor time and memory.',
} as const satisfies RequirementTable

/** MCP servers for the agents of a run. */
export const mcpServers = {
  'mcp-servers/both-agents':
    'Agents on both SDKs and those that speak ACP get the tools of the servers in weave.json, for the codons that it names.',
  'mcp-servers/limits': 'A tool that the operator did not name, where he named some, is not run.',
  'mcp-servers/end-with-codon': 'The processes of a server belong to the codon and are gone with it.',
  'mcp-servers/shown': 'validate shows servers as they are written, and starts none.',
  'mcp-servers/checked':
    'Variables that are not set, codons that the hank does not have, addresses in the clear and limits that an agent cannot keep are errors with a place.',
  'mcp-servers/masked':
    'Values of variables and headers are in no plan, no journal and no log, and on no command line of an agent.',
} as const satisfies RequirementTable
