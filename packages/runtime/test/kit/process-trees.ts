/**
 * Shapes that a tree of processes can take, as the shell makes them. Each begins one member beside the leader, and every
 * process that counts appends its id to `$pids`. The leader waits until the file `$go` is there.
 */
export interface TreeShape {
  readonly name: string
  readonly script: string
  /** Nothing leads to the member once its parent has ended: it must have been met before. */
  readonly onlyByLooks?: true
}

export const treeShapes: readonly TreeShape[] = [
  { name: 'a child', script: 'sh -c "$stay" "$pids" &' },
  { name: 'a grandchild', script: `sh -c 'sh -c "$1" "$0" & wait' "$pids" "$stay" &` },
  { name: 'a child in a group of its own', script: 'set -m; sh -c "$stay" "$pids" & set +m' },
  { name: 'a child in a session of its own', script: 'setsid sh -c "$stay" "$pids" &' },
  { name: 'a child under nohup', script: 'nohup sh -c "$stay" "$pids" >/dev/null 2>&1 &' },
  { name: 'a child whose parent has ended', script: '(sh -c "$stay" "$pids" &)' },
  { name: 'a daemon', script: '(setsid sh -c "$stay" "$pids" </dev/null >/dev/null 2>&1 &)' },
  { name: 'a child without open files', script: 'sh -c "$stay" "$pids" <&- >&- 2>&- &' },
  { name: 'a child that ignores SIGTERM', script: `sh -c 'trap "" TERM; eval "$1"' "$pids" "$stay" &` },
  { name: 'a leader that ignores SIGTERM', script: 'trap "" TERM; sh -c "$stay" "$pids" &' },
  { name: 'a stopped child', script: `sh -c 'echo $$ >> "$0"; kill -STOP $$; sleep 60' "$pids" &` },
  {
    name: 'a stopped daemon',
    script: `(setsid sh -c 'echo $$ >> "$0"; kill -STOP $$; sleep 60' "$pids" >/dev/null 2>&1 &)`,
  },
  {
    name: 'a child with a clean environment in a session of its own',
    script: 'env -i setsid sh -c "$stay" "$pids" &',
    onlyByLooks: true,
  },
  {
    name: 'the same, deaf and without open files',
    script: `env -i setsid sh -c 'trap "" TERM; eval "$1"' "$pids" "$stay" <&- >&- 2>&- &`,
    onlyByLooks: true,
  },
]

/** The leader of such a tree, as a program. */
export function leaderOf(shape: TreeShape, pids: string, go: string): readonly [string, readonly string[]] {
  return ['sh', ['-c', `${before}\n${shape.script}\n${after}`, 'leader', pids, go]]
}

/** How many processes write their id down. */
export const membersOfTree = 2

const before = `pids=$1 go=$2 stay='echo $$ >> "$0"; exec sleep 60'`
const after = 'echo $$ >> "$pids"\nfor turn in $(seq 300); do [ -e "$go" ] && exit 0; sleep 0.1; done\nexit 1'
