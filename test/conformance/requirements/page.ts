import type { RequirementTable } from '../requirement.ts'

/** The dashboard in a browser. */
export const page = {
  'page/event-window':
    'The page never holds a journal: it keeps at most 40 pages of 500 events, the ones looked at last, and row i is event i + 1 or the i-th that was found.',
  'page/session':
    'The key of a link leaves the address at once, buys one session for the tab, and another tab asks an open one; no cookie. A used link says so.',
  'page/links': 'Everything that can be selected is in the address and is there again after loading it.',
  'page/live': 'What happens in a run is seen without loading the page anew.',
  'page/controls':
    'Buttons send the commands of the protocol over the socket, those that undo something ask first and wait for the event that answers them.',
  'page/refusals': 'A refusal is shown with its code at the button that was pressed.',
  'page/gates': 'What waits for a person stands first and is decided on in the page.',
  'page/preview': 'Going back shows what it would change before it does.',
  'page/readonly': 'A readonly session says that it is one and sees no controls.',
  'page/harmless':
    'Text nodes only, every text harmless: nothing of an agent runs, nobody else is asked for anything, no policy is broken.',
  'page/accessible': 'axe finds nothing serious or critical on any page, in two themes, at three widths.',
  'page/phone': 'No page is wider than a screen of 320 pixels.',
  'page/keys': 'The keys of the terminal do in the page what they do there.',
  'page/codon-controls':
    'The codon that is chosen in the plan can be started, with or without its rig, and gone back to, with what that does in sight.',
  'page/worst-case':
    'Budgets say the most that a run could use as it stood at the start, or why nothing bounds it.',
  'page/own-run':
    'A run with --web shows itself in a browser by the link that it prints, and can be steered there.',
  'page/tasks-with-keys': 'Twelve tasks, from finding a failure to approving at a gate, need no pointer.',
  'page/tasks-on-a-phone':
    'Six tasks are done by touch on a screen of 375 pixels, with targets of at least 44 pixels.',
  'page/fleet':
    'The hub shows batches, workers and limits of a fleet, and of a batch its executions by state and what failed by reason; what happens is seen without loading the page anew, and an execution that was pulled is a link.',
  'page/fleet-rests':
    'A page never starts an engine nor changes a table, and asks nothing while it is not in sight; it says when the engine is at rest or away, and when a package is missing.',
  'page/list-filter':
    'The list takes fields, amounts and words, all of which must fit, and can put failures first.',
  'page/filter': 'Filter and search are done by the host and are in the address.',
} as const satisfies RequirementTable
