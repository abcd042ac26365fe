import type { RequirementTable } from '../requirement.ts'

/** The dashboard's host: who gets in, what can be read, and what it never does. */
export const web = {
  'web/hub':
    'weave web shows all executions below the base directory, writes ~/.weave/web.json with mode 0600, and takes it away when it ends by SIGINT with code 0; a second one finds it and ends with 0.',
  'web/port': 'When its port is taken the system chooses another, and that is said.',
  'web/open':
    'weave open starts a hub in a session of its own when none runs, and opens the page of an execution without a shell; without a display or with --print it prints a link that is good for 10 minutes, and over SSH how to forward the port.',
  'web/run':
    'With --web the server of a run answers pages of this execution alone on its own port, says Dashboard and a link after Clients, and writes web into its lock; without it plain requests get 426.',
  'web/settings': 'The key `web` of weave.json is strict: enabled, port, readonly.',
  'web/keys':
    'A key is 32 random bytes, buys one session, and lives 60 s or 10 minutes; used twice it is 403 with words, ten wrong ones in a minute are 429 for a minute.',
  'web/sessions':
    'A session is 32 random bytes in memory, 12 hours since its last use; without one everything but hello and the empty page is 401; the end of the hub ends it.',
  'web/doorkeeper':
    'Every combination of Host, Origin and Sec-Fetch headers is let in or refused as for the control socket; only the empty page is answered to a navigation from another site.',
  'web/headers':
    'Every answer has the headers of safety, none sets a cookie, and hashed files are immutable.',
  'web/nobody-else':
    'Another user of the machine, another web page and a program without a session get nothing of an execution, over HTTP or the socket.',
  'web/not-by-agents':
    'On Linux an agent of a run, and what it started, gets no link, no session and no hand in a run through the hub, whatever keys it has read.',
  'web/no-trace': 'Keys and sessions are in no file but ~/.weave/web.json, which holds the owner key alone.',
  'web/bridge':
    'The hub connects to a server only when a page has sent its handshake with a session; it puts the server’s token in its place, lowers the mode of readonly sessions, and passes frames on within the server’s limits.',
  'web/autostart': 'A server that waits for its first client goes on waiting while it is in the list.',
  'web/reads-only': 'Whatever is asked of an execution, its bytes stay as they are and its lock stays free.',
  'web/list':
    'The list has a row for each execution, live ones first, with status, codons, costs and where it waits, and with wait and since it answers when something has changed.',
  'web/head':
    'One execution: plan with limits, runs with attempts, totals, gates, rules, settings with origin.',
  'web/events':
    'A page of at most 500 lines of the journal as they are, from either side, with lastSeq and what is damaged.',
  'web/find':
    'Numbers of events by type, codon, text and failure, little-endian, sent as they are found and ended when nobody waits.',
  'web/spans': 'For each attempt rig, agent, tools, waiting and parked, with the event of each.',
  'web/series':
    'Dollars, tokens and context over active time, thinned so that lows and highs stay, with limits reached.',
  'web/versions':
    'Checkpoints, differences with a patch, files as plain text to keep, and what going back does, without a lock.',
  'web/accounts':
    'Costs as weave report --costs --json, outputs of sentinels, the report as a file, a comparison.',
  'web/errors':
    'Errors are a code and a message with the status of the code; nothing but GET is answered there.',
} as const satisfies RequirementTable
