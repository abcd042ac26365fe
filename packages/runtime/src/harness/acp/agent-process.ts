import { type Clock, inTime, keepTail, type LaunchOptions, supervise } from '../../kit/index.ts'
import { connectRpc, type RpcOptions } from './json-rpc.ts'

interface AgentProcessOptions
  extends LaunchOptions,
    Pick<RpcOptions, 'onNotification' | 'onRequest' | 'onRaw' | 'onGarbage'> {
  readonly program: readonly [string, ...string[]]
  readonly cwd: string
  readonly clock: Clock
}

/** The program of an agent and what is said between it and us. Never throws: one that cannot be started has ended. */
export type AgentProcess = ReturnType<typeof startAgentProcess>

/** For writing down its conversation, once nothing more is asked of it. */
const leaveMs = 2_000

export function startAgentProcess({ program: [command, ...args], ...options }: AgentProcessOptions) {
  const { cwd: premises, clock, onNotification, onRequest, onRaw, onGarbage } = options
  const program = supervise(command, args, { ...options, premises, stdio: ['pipe', 'pipe', 'pipe'] })
  const { child, ended, sweep } = program
  const lastWords = child?.stderr ? keepTail(child.stderr) : () => ''
  const rpc =
    child?.stdin && child.stdout
      ? connectRpc({ input: child.stdout, output: child.stdin, onNotification, onRequest, onRaw, onGarbage })
      : undefined
  // What it left behind may hold its pipes; nobody waits for that.
  void ended.then(async () => {
    await sweep()
    rpc?.close()
  })

  return {
    rpc,
    ended,
    get end() {
      return program.end
    },
    lastWords: () => lastWords().trim(),
    /** SIGTERM to its group, 5 s, SIGKILL, and all that it started. Never rejects. */
    async stop(): Promise<void> {
      program.stop('stopped')
      await ended
      await sweep()
    },
    /** Lets it end by itself for a moment, since nothing more comes for it; then as above. Never rejects. */
    async leave(): Promise<void> {
      child?.stdin?.end()
      if (!(await inTime(ended, { ms: leaveMs, clock }))) program.stop('done')
      await ended
      await sweep()
    },
  }
}
