import type { RequirementTable } from '../requirement.ts'

/** Versions as tools: bisect, fork, compare. */
export const versions = {
  'bisect/finds':
    'Weave bisect names the first checkpoint with which a command fails, and the good one before it; exit code 0.',
  'bisect/few-checks':
    'Of n different versions at most ⌈log₂(n−1)⌉ + 2 are tested: both ends first, then always the middle.',
  'bisect/candidates':
    'Candidates are the beginning and the ends of codons on the thread that counts; neighbours with the same files count once; rigs only with --rigs, failed and skipped ones not with --completed-only.',
  'bisect/apart':
    'Each check has a new directory with the files of one checkpoint; the execution is neither locked nor changed, and a live one can be searched.',
  'bisect/surroundings':
    'The data and what --link names are linked, --setup runs first, and WEAVE_BISECT_CODON, _SHA and _TYPE say which version it is.',
  'bisect/exit-codes':
    'Exit code 0 is good, 125 skip, 126 and 127 and a missing program stop with exit code 2, 128 and up stop, all else and a timeout are bad.',
  'bisect/skip':
    'A skipped checkpoint is replaced by its nearest neighbour; when only skipped ones are left, the range is printed and the exit code is 1.',
  'bisect/nothing-to-find':
    'A command that fails at the beginning or succeeds at the end is said so with exit code 1, and a file that came later is named.',
  'bisect/repeat': 'With --repeat a version is bad when the command fails once.',
  'bisect/all': 'With --all every version is tested, and a verdict that comes and goes is said so.',
  'bisect/json':
    'With --json the outcome, the row of verdicts, the codon and the changed files are one JSON.',
  'bisect/advice': 'The lines that it gives to look further can be pasted.',
  'bisect/nothing-left':
    'After its end, and after a signal at any moment, no process and no directory of a search is left.',
  'fork/prefix':
    'The journal of a fork begins with the lines of its source up to the checkpoint, byte for byte.',
  'fork/state': 'The state of a fork at that event, and its ledger at birth, are those of its source.',
  'fork/tree': 'The files of a fork are those of the checkpoint.',
  'fork/source-unchanged': 'No file of the source changes when it is forked, and it may be live.',
  'fork/names':
    'A fork begins at every name of weave checkpoints, undone ones by their sha; a safety checkpoint is refused.',
  'fork/goes-on':
    'The next start of a fork begins with the codon after the checkpoint; after a rig without it.',
  'fork/own-objects': 'A fork needs nothing of its source: it goes on when that is gone.',
  'fork/kill-safe':
    'A fork is made beside its place and renamed: a kill at any moment leaves the whole or nothing that weave list shows.',
  'fork/disk': 'A fork takes no more than a tenth more of the disk than its files.',
  'fork/old-parts': 'Weave gc removes what a killed fork left, when it is older than a day.',
  'fork/conversations':
    'With both SDKs continue-previous goes on in a fork with the conversation of its source, and writes only inside the fork.',
  'fork/signed-thinking':
    'In conversations the path of the new workspace replaces the old one, never in thinking or signatures; what stays there is counted.',
  'fork/untracked':
    'Files in no checkpoint stay behind, with their number and names said; --with-untracked copies them, when nothing runs.',
  'fork/data-and-archive':
    'A fork has the data as its source has it, and the archive of the codons that it keeps.',
  'fork/other-hank':
    'Another hank takes over by the rule of --adopt; what differs in codons that have run is a note, what clashes ends with exit code 1.',
  'fork/model': 'With -m another model goes on, but not in a conversation that another one began.',
  'fork/rehearsal':
    'Rehearsals fork into rehearsals, and real executions into rehearsals only with --rehearse.',
  'fork/money':
    'What was spent until the checkpoint counts against every limit of the fork and is shown apart; COST of weave list is what it spent itself.',
  'fork/run-at-once':
    'With --run a fork goes on at once, with --detach in a session of its own; what was said of the fork is not said to its run.',
  'fork/origin':
    'Origin.json says where a fork comes from, with the id of the execution whose events it begins with.',
  'fork/output': 'A fork says its name, its source, what comes next and how to run it; with --json as JSON.',
  'fork/screen':
    'Where the screen shows a checkpoint it gives commands to fork, to search and to compare from there.',
  'compare/same':
    'An execution compared with itself is the same; compared the other way round, two executions are the same but for their sides.',
  'compare/aligned':
    'Codons are paired by runtime id along the longest row that both threads have, all attempts of one together.',
  'compare/head':
    'A comparison says whether hank, data, models and versions are the same, whether one is a fork of the other, and how many events they have in common.',
  'compare/codons':
    'Of codons that differ it shows status, attempts, model, time, dollars, tokens, messages, tool calls, errors and files of both, with the change; with --all of all codons.',
  'compare/files':
    'Files of two executions are compared although each has a store of its own; with --diff as text.',
  'compare/conversation':
    'Of conversations it says how many steps are the same, and shows the first difference with what is around it; workspaces, ids and times make none.',
  'compare/costs': 'It shows dollars, tokens and time of both, with the change in percent.',
  'compare/large': 'A million events against a million take at most 30 seconds and 200 MB.',
  'compare/exit-code':
    'With --exit-code 0 means the same, 1 different, 2 that they could not be compared; times never count.',
  'compare/at': 'Each side may name a checkpoint; a live execution counts up to its last one, which is said.',
  'compare/formats':
    'With --json it is one JSON, with --html a page without scripts in which nothing of the texts is markup.',
} as const satisfies RequirementTable
