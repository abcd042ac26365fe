import type { RequirementTable } from '../requirement.ts'

/** Answers of decisions 4, 5, 6 and 11: state, protocol details, journal, extension events. */
export const decisionsStateAndWire = {
  // d4 State
  'd4/codon-status-values':
    '`CodonStatus` is one of `preparing`, `starting`, `initializing`, `running`, `completing-sentinels`, `completed`, `failed`, `skipped`.',
  'd4/preparing-is-rig': 'A codon is `preparing` while its rig runs.',
  'd4/move-preparing-starting': 'A `preparing` codon may become `starting`.',
  'd4/move-starting-initializing': 'A `starting` codon becomes `initializing` when its session is launched.',
  'd4/move-initializing-running': 'An `initializing` codon becomes `running` when its session id is known.',
  'd4/move-running-completing': 'A `running` codon may become `completing-sentinels`.',
  'd4/move-completing-completed': 'A `completing-sentinels` codon may become `completed`.',
  'd4/move-any-failed': 'Every status that is not terminal may become `failed`.',
  'd4/move-any-skipped': 'Every status that is not terminal may become `skipped`.',
  'd4/terminal-statuses-final': 'No move leads out of `completed`, `failed` or `skipped`.',
  'd4/illegal-move-refused':
    'The reducer refuses every other status move but the early completion of a codon that a budget stops.',
  'd4/codon-id-is-runtime-id':
    '`codonId` of a `CodonExecution` is the runtime id, with `#n` for iteration n of a loop.',
  'd4/codon-fields-required':
    'Every `CodonExecution` has `codonId`, `codonName`, `status`, `startTime`, `attempt`, `model`, `cost`, `tokens`, `assistantMessageCount`, `extensionCount` and `checkpoints`.',
  'd4/codon-fields-optional':
    'A `CodonExecution` may have `endTime`, `loopContext`, `sessionId`, `previousSessionId`, `exitStatus`, `failureReason`, `failedDuring`, `budgetExceeded`, `contextExceeded` and `sentinels`.',
  'd4/codon-attempt': '`attempt` of a `CodonExecution` counts from 1.',
  'd4/codon-loop-context': '`loopContext` of a codon in a loop is `{loopId, iteration, codonIndexInLoop}`.',
  'd4/codon-tokens': '`tokens` is `{inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens}`.',
  'd4/codon-checkpoints': '`checkpoints` maps each checkpoint type of the codon to its sha.',
  'd4/codon-budget-exceeded': '`budgetExceeded` is `{currency, limit, used, scope}`.',
  'd4/running-codon-has-no-end': 'A codon that is not at its end never carries `endTime`.',
  'd4/failed-codon-has-reason': 'A `failed` codon always carries `failureReason`.',
  'd4/run-fields':
    'A run has `runId`, `status`, `startTime`, `gitBranch`, `startedFrom`, `codons` and, once ended, `endTime`.',
  'd4/run-status-values': 'The status of a run is `running`, `completed`, `failed`, `crashed` or `stopped`.',
  'd4/run-branch': '`gitBranch` of a run is `run-<runId>`.',
  'd4/run-started-fresh': '`startedFrom` of the first run is `{type: fresh}`.',
  'd4/run-started-continuation':
    '`startedFrom` of a run that goes on from another is `{type: continuation, runId, codonId?, checkpoint?}`.',
  'd4/retry-appends-record':
    'A retry appends a codon record to the run and leaves the record of the earlier attempt.',
  'd4/reduce-pure':
    '`reduce(state, transition)` gives equal results for equal arguments and changes neither argument.',
  'd4/reduce-only-source': 'Nothing but `reduce` computes state.',
  'd4/fold-equals-live-state':
    'Folding the `state.transition` events of the journal gives exactly the live state.',
  'd4/state-file-atomic': '`state.json` is written atomically: a reader never sees a half-written file.',
  'd4/state-file-rebuilt-missing': 'A missing `state.json` is rebuilt from the journal.',
  'd4/state-file-rebuilt-torn': 'A torn `state.json` is rebuilt from the journal.',
  'd4/state-file-rebuilt-behind': 'A `state.json` that is behind the journal is rebuilt from it.',
  'd4/start-marks-crashed-run': 'At server start a run without an end is marked by `RunCrashed`.',
  'd4/start-ends-leftover-agents': 'At server start leftover agent processes of a crashed run are ended.',
  'd4/start-rolls-back-interrupted-codon':
    'At server start an interrupted codon is rolled back to the checkpoint it started from.',
  'd4/start-reruns-interrupted-codon': 'After a crash the interrupted codon runs again.',
  'd4/start-repairs-rollback':
    'A rollback that was cut off is finished or undone at the next start before anything else happens.',
  'd4/start-repairs-output-copy':
    'An output copy that was cut off is finished or undone at the next start before anything else happens.',
  'd4/completed-success': '`codon.completed.success` is true exactly for the status `completed`.',
  'd4/exit-status-follows-codon':
    '`exitStatus` tells how the codon ended, also when its process ended differently.',

  // d5 Protocol details
  'd5/event-envelope': 'Every server event has the four fields `id`, `timestamp`, `type` and `data`.',
  'd5/seq': 'Journaled events have an integer `seq` that counts from 1 without gaps.',
  'd5/command-id': 'An event that answers a command has `commandId` equal to the `id` of that command.',
  'd5/handshake-shape':
    'The first message is `{type: "handshake", data: {mode, sendPreviousEvents?, since?, extensions?, token?}}`.',
  'd5/handshake-id-allowed': 'A handshake may carry an `id`.',
  'd5/error-handshake-required':
    'Any first message other than a handshake is answered by `error` with code `HANDSHAKE_REQUIRED`.',
  'd5/handshake-required-stays-open':
    'After `HANDSHAKE_REQUIRED` the connection stays open and a handshake still succeeds.',
  'd5/error-already-handshaken': 'A second handshake is answered by `error` with code `ALREADY_HANDSHAKEN`.',
  'd5/handshake-timeout': 'A client that has not shaken hands within 10 s is closed with 1008.',
  'd5/mode-granted': 'The granted `mode` is the requested one.',
  'd5/flag-readonly-only': 'With `--readonly-only` every client is granted `readonly`.',
  'd5/config-readonly-only': 'With `readonlyOnly` true in `weave.json` every client is granted `readonly`.',
  'd5/since': 'With `since: <seq>` the `eventHistory` starts with the event right after that one.',
  'd5/reconnect-exactly-once':
    'A client that reconnects with the last `seq` it saw as `since` misses no event and sees none twice.',
  'd5/event-history-count': '`eventHistory` holds at most the newest 1,000 events.',
  'd5/event-history-bytes': '`eventHistory` holds at most 4 MiB of events.',
  'd5/event-history-order': '`eventHistory` is ordered oldest first.',
  'd5/history-batch-count': 'A `history.batch` holds at most 500 events.',
  'd5/history-batch-bytes': 'A `history.batch` holds at most 1 MiB of events.',
  'd5/extensions-opt-in':
    'Extension events go only to clients whose handshake lists `extensions: ["weave"]`.',
  'd5/spec-events-for-all': 'The 27 events of the specification go to clients with and without extensions.',
  'd5/command-error-unicast': 'An `error` that answers a command goes to the sender only.',
  'd5/command-error-not-journaled': 'An `error` that answers a command is not journaled.',
  'd5/other-error-broadcast': 'An `error` that answers no command is journaled and broadcast.',
  'd5/checkpoint-list-broadcast': 'A `checkpoint.list` reply is broadcast to all clients.',
  'd5/checkpoint-list-journaled': 'A `checkpoint.list` reply is journaled.',
  'd5/commands-in-order': 'Commands run one after another in the order of their arrival.',
  'd5/error-codon-already-running':
    '`codon.start`, `codon.next` and `codon.redo` while a codon runs give `CODON_ALREADY_RUNNING`.',
  'd5/error-no-codon-running':
    '`codon.skip` and `codon.forceStop` with no codon running give `NO_CODON_RUNNING`.',
  'd5/error-nothing-to-redo': '`codon.redo` without history gives `NOTHING_TO_REDO`.',
  'd5/error-no-next-codon': '`codon.next` at the end of the plan gives `NO_NEXT_CODON`.',
  'd5/error-invalid-json': 'A text frame that is not JSON gives `INVALID_JSON`.',
  'd5/error-invalid-command':
    'A command that does not match its schema gives `INVALID_COMMAND` with a message that names the field.',
  'd5/error-unknown-command': 'A command of an unknown type gives `UNKNOWN_COMMAND`.',
  'd5/error-unknown-codon': 'A command that names a codon that does not exist gives `UNKNOWN_CODON`.',
  'd5/error-unknown-checkpoint':
    'A command that names a checkpoint that does not exist gives `UNKNOWN_CHECKPOINT`.',
  'd5/error-ambiguous-checkpoint': 'A sha prefix that fits several checkpoints gives `AMBIGUOUS_CHECKPOINT`.',
  'd5/error-unknown-run': 'A command that names a run that does not exist gives `UNKNOWN_RUN`.',
  'd5/error-shutting-down': 'A command that arrives while the server shuts down gives `SHUTTING_DOWN`.',
  'd5/error-message-too-large': 'The code for a message over the size limit is `MESSAGE_TOO_LARGE`.',
  'd5/error-internal': 'An unexpected failure inside the server gives `INTERNAL_ERROR`.',
  'd5/error-table':
    'One table in the protocol package holds every error code with its severity, and each sent `error` agrees with it.',
  'd5/snapshot-after-codon': 'A `state.snapshot` follows each codon end.',
  'd5/snapshot-after-rollback': 'A `state.snapshot` follows each rollback.',
  'd5/snapshot-interval':
    'While a codon runs, a `state.snapshot` is sent every 30 s if something changed, and none if nothing did.',
  'd5/file-tree-limit': '`fileTree` holds at most 5,000 nodes.',
  'd5/file-tree-rest': 'A cut `fileTree` has a node named `…` that says how many nodes are left out.',
  'd5/tool-result-limit': '`tool.result.result` is cut at 8,000 characters.',
  'd5/tool-result-full-in-log': 'The whole text of a cut tool result is in the session log.',
  'd5/file-content-limit': '`file.updated.content` carries the text of files up to 1 MiB.',
  'd5/file-content-large':
    'For a text file over 1 MiB `file.updated` has `content: ""` with `bytes`, `sha256` and `omitted: "large"`.',
  'd5/file-content-binary':
    'For a binary file `file.updated` has `content: ""` with `bytes`, `sha256` and `omitted: "binary"`.',
  'd5/token-usage-once': '`token.usage` is sent per assistant message and counts each message id once.',
  'd5/token-usage-total': '`token.usage.totalCost` is the cost of the codon so far.',
  'd5/server-ready-agent-root': '`server.ready` carries `agentRootPath`.',
  'd5/server-ready-output-directory': '`server.ready` carries `outputDirectory`.',
  'd5/server-ready-last-seq': '`server.ready` carries `lastSeq`.',
  'd5/redo-new-run': '`codon.redo` opens a new run from the checkpoint the codon started from.',
  'd5/force-stop-result':
    '`codon.forceStop` ends the codon as `failed` with `exitStatus` `{type: killed, signal}`.',
  'd5/force-stop-waits':
    'After `codon.forceStop` the server sends `server.idle` and starts no codon by itself.',
  'd5/frame-limit': 'An incoming frame over 1 MiB closes the connection with 1009.',
  'd5/binary-frame': 'A binary frame is answered by `INVALID_JSON`.',
  'd5/http-dashboard': 'Plain HTTP on the port serves the dashboard when there is one.',
  'd5/http-upgrade-required':
    'Without a dashboard, plain HTTP on the port gets status 426 with a JSON body that says to use WebSocket.',
  'd5/slow-client-queue': 'The send queue of a client is bounded at 8 MiB.',
  'd5/slow-client-closed': 'A client that falls behind its queue is closed with 1013.',
  'd5/slow-client-recovers':
    'A client closed with 1013 gets everything it missed when it reconnects with `since`.',
  'd5/slow-client-isolated': 'A slow client delays no other client and no codon.',

  // d6 Journal
  'd6/append-only': 'The journal only grows: written lines are never changed.',
  'd6/segments': 'The journal is JSON lines in segment files, each line one event with its `seq`.',
  'd6/blob-threshold': 'A field over 4 KiB is stored in the blob folder instead of the line.',
  'd6/blob-once': 'Equal large fields are stored once, under their SHA-256.',
  'd6/blob-restored': 'Reading the journal puts blobs back, so the event equals the one that was written.',
  'd6/grouped-appends': 'Appends of one tick are grouped into one write.',
  'd6/durable-transitions': 'A state transition is on disk with `fdatasync` before it is announced.',
  'd6/durable-codon-ends': 'A codon end is on disk with `fdatasync` before it is announced.',
  'd6/durable-checkpoints': 'A checkpoint event is on disk with `fdatasync` before it is announced.',
  'd6/durable-answers':
    'Whatever answers a client command as done is on disk with `fdatasync` before it is sent.',
  'd6/torn-last-line-cut': 'A torn last line is cut off at start, and a message says so.',
  'd6/bad-line-reported': 'A bad line elsewhere is reported with its position.',
  'd6/bad-line-skipped': 'A bad line elsewhere is skipped and counted, and the other events stay readable.',
  'd6/index': 'An index gives the byte offset of every n-th `seq`.',
  'd6/index-paging': 'Paging to event 900,000 of a million reads only the neighbourhood of that event.',

  // d11 Extension events and fields
  'd11/run-started': 'The extension event `run.started` is sent when a run starts.',
  'd11/run-completed': 'The extension event `run.completed` is sent when a run ends.',
  'd11/run-completed-summary': '`run.completed` sums up status, cost and durations.',
  'd11/run-completed-budgets': '`run.completed` sets for each codon the budget against the use.',
  'd11/rig-output': 'The extension event `rig.output` carries output of rig commands.',
  'd11/loop-iteration-completed':
    'The extension event `loop.iteration.completed` is sent when an iteration of a loop ends.',
  'd11/codon-extended':
    'The extension event `codon.extended` is sent when `exhaustWithPrompt` extends a codon.',
  'd11/codon-retrying': 'The extension event `codon.retrying` is sent when a codon is about to be retried.',
  'd11/run-parked': 'The extension event `run.parked` is sent when a run waits parked.',
  'd11/archive-completed': 'The extension event `archive.completed` is sent when files have been archived.',
  'd11/budget-exceeded': 'The extension event `budget.exceeded` is sent when a limit is breached.',
  'd11/preflight-result': 'The extension event `preflight.result` carries the result of the preflight.',
  'd11/same-envelope': 'Extension events use the same envelope as the events of the specification.',
  'd11/journaled': 'Extension events are journaled.',
  'd11/event-table':
    'The event table of the protocol package lists the extension events with category `extension` beside the 27 of the specification.',
} as const satisfies RequirementTable
